-- By client, package, screen and network, for apps in `chosen`: sums of strata over months.
SELECT
    client, strata.app, package, screen, network, SUM(seconds) AS seconds, SUM(drop_ppm) AS drop_ppm,
    SUM(s) AS s, SUM(w) AS w, SUM(noise) AS noise
FROM {folder} AS strata JOIN chosen ON strata.app = chosen.app GROUP BY client, strata.app, package, screen, network
