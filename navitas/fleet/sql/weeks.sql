-- By client and week, for apps in `chosen`: sums of strata over months and versions.
SELECT client, week, SUM(w) AS w, SUM(s) AS s
FROM {folder} AS strata JOIN chosen ON strata.app = chosen.app WHERE week >= 0 GROUP BY client, week HAVING SUM(w) > 0
