-- By client, for apps in `chosen`: the drain while the app runs, and while it does not.
WITH whole AS (SELECT client, CAST(SUM(seconds) AS DOUBLE) AS t, CAST(SUM(drop_ppm) AS DOUBLE) AS d FROM clients GROUP BY client)
SELECT contrast.app, contrast.drop_ppm / ran_s AS rate, (whole.d - contrast.drop_ppm) / (whole.t - ran_s) AS other
FROM contrast JOIN whole ON contrast.client = whole.client JOIN chosen ON contrast.app = chosen.app
WHERE ran_s >= {least_s} AND whole.t - ran_s >= {least_s}
