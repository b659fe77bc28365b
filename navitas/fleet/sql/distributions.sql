-- By client, for apps in `chosen`: the drain with the app at both ends of pairs, and at neither, over all screens.
WITH used AS (
    SELECT
        usage.client, packages.app_id AS app,
        CAST(SUM(both_seconds + changed_seconds) AS DOUBLE) AS t1, CAST(SUM(both_drop_ppm + changed_drop_ppm) AS DOUBLE) AS d1,
        CAST(SUM(both_seconds + one_seconds - changed_seconds) AS DOUBLE) AS t,
        CAST(SUM(both_drop_ppm + one_drop_ppm - changed_drop_ppm) AS DOUBLE) AS d
    FROM usage JOIN packages ON usage.package = packages.id JOIN chosen ON packages.app_id = chosen.app
    GROUP BY usage.client, packages.app_id
),
whole AS (SELECT client, CAST(SUM(seconds) AS DOUBLE) AS t, CAST(SUM(drop_ppm) AS DOUBLE) AS d FROM clients GROUP BY client)
SELECT app, d1 / t1 AS rate, (whole.d - used.d) / (whole.t - used.t) AS other
FROM used JOIN whole ON used.client = whole.client
WHERE t1 >= {least_s} AND whole.t - used.t >= {least_s}
