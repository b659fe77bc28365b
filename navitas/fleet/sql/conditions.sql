-- By client, package, screen and network, for apps in `chosen`: pairs with the package at both ends, contrasted with pairs
-- without its app, as in contrast.sql. Rows of `strata` with a null package are sums of all pairs.
, used AS (
    SELECT
        strata.client, strata.package, packages.app_id AS app, screen, network,
        CAST(SUM(both_seconds) AS DOUBLE) AS t1, CAST(SUM(both_drop_ppm) AS DOUBLE) AS d1,
        CAST(SUM(both_seconds + one_seconds - changed_seconds) AS DOUBLE) AS t,
        CAST(SUM(both_drop_ppm + one_drop_ppm - changed_drop_ppm) AS DOUBLE) AS d
    FROM strata JOIN packages ON strata.package = packages.id JOIN chosen ON packages.app_id = chosen.app
    GROUP BY strata.client, strata.package, packages.app_id, screen, network
),
own AS (SELECT client, app, screen, network, SUM(t) AS t, SUM(d) AS d FROM used GROUP BY client, app, screen, network),
condition_sums AS (
    SELECT client, screen, network, CAST(SUM(both_seconds) AS DOUBLE) AS t, CAST(SUM(both_drop_ppm) AS DOUBLE) AS d
    FROM strata WHERE package IS NULL GROUP BY client, screen, network
),
sides AS (
    SELECT
        used.client, used.app, used.package, used.screen, used.network, t1, d1, condition_sums.t - own.t AS t0, condition_sums.d - own.d AS d0, v
    FROM used
    JOIN own ON used.client = own.client AND used.app = own.app AND used.screen = own.screen AND used.network = own.network
    JOIN condition_sums ON used.client = condition_sums.client AND used.screen = condition_sums.screen AND used.network = condition_sums.network
    JOIN whole ON used.client = whole.client AND used.screen = whole.screen
)
SELECT
    client, app, package, screen, network, t1 AS seconds, d1 AS drop_ppm,
    CASE WHEN t0 >= {least_s} THEN t1 * t0 / (t1 + t0) ELSE 0 END AS w,
    CASE WHEN t0 >= {least_s} THEN (d1 * t0 - d0 * t1) / (t1 + t0) ELSE 0 END AS s,
    CASE WHEN t0 >= {least_s} THEN v * t1 * t0 / (t1 + t0) ELSE 0 END AS noise
FROM sides WHERE t1 > 0
