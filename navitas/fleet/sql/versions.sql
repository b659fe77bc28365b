-- By client and package, for apps in `chosen`: pairs with the package at both ends, contrasted with pairs without its app.
, used AS (
    SELECT
        usage.client, usage.package, packages.app_id AS app, usage.screen, SUM(both_pairs) AS pairs,
        CAST(SUM(both_seconds) AS DOUBLE) AS t1, CAST(SUM(both_drop_ppm) AS DOUBLE) AS d1,
        CAST(SUM(both_seconds + one_seconds - changed_seconds) AS DOUBLE) AS t,
        CAST(SUM(both_drop_ppm + one_drop_ppm - changed_drop_ppm) AS DOUBLE) AS d
    FROM usage JOIN packages ON usage.package = packages.id JOIN chosen ON packages.app_id = chosen.app
    GROUP BY usage.client, usage.package, packages.app_id, usage.screen
),
own AS (SELECT client, app, screen, SUM(t) AS t, SUM(d) AS d FROM used GROUP BY client, app, screen),
sides AS (
    SELECT used.client, used.package, used.app, used.screen, used.pairs, t1, d1, whole.t - own.t AS t0, whole.d - own.d AS d0
    FROM used
    JOIN own ON used.client = own.client AND used.app = own.app AND used.screen = own.screen
    JOIN whole ON used.client = whole.client AND used.screen = whole.screen
),
weighted AS (
    SELECT client, app, package, screen, pairs, t1 * t0 / (t1 + t0) AS w, (d1 * t0 - d0 * t1) / (t1 + t0) AS s
    FROM sides WHERE t1 > 0 AND t0 >= {least_s}
)
SELECT
    client, app, package, CAST(SUM(pairs) AS BIGINT) AS pairs,
    SUM(CASE WHEN screen = 0 THEN w ELSE 0 END) + SUM(CASE WHEN screen = 1 THEN w ELSE 0 END) + SUM(CASE WHEN screen = 2 THEN w ELSE 0 END) AS w,
    SUM(CASE WHEN screen = 0 THEN s ELSE 0 END) + SUM(CASE WHEN screen = 1 THEN s ELSE 0 END) + SUM(CASE WHEN screen = 2 THEN s ELSE 0 END) AS s
FROM weighted GROUP BY client, app, package
