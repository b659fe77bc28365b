-- By client and package, for apps in `chosen`: sums of strata over months and conditions.
SELECT client, strata.app, package, CAST(SUM(pairs) AS BIGINT) AS pairs, SUM(w) AS w, SUM(s) AS s
FROM {folder} AS strata JOIN chosen ON strata.app = chosen.app GROUP BY client, strata.app, package HAVING SUM(w) > 0
