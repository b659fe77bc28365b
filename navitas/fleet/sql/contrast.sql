-- By client and app: the rate with the app at both ends of a pair minus the rate with it at neither, by screen and summed.
-- A difference of rates has weight T1 * T0 / (T1 + T0). Its variance is inverse to that, if both times are much longer than
-- the time in which the level falls by one step. Pairs with the app at one end count only in ran_s: half of their time.
-- A pair whose ends have different versions is among `one` of both versions. The app is at both ends, so it counts once.
-- Screens are added in a fixed order, so that all engines get the same last digits.
, used AS (
    SELECT
        usage.client, packages.app_id AS app, usage.screen,
        SUM(both_pairs + changed_pairs) AS pairs,
        CAST(SUM(both_seconds + changed_seconds) AS DOUBLE) AS t1, CAST(SUM(both_drop_ppm + changed_drop_ppm) AS DOUBLE) AS d1,
        CAST(SUM(both_seconds + one_seconds - changed_seconds) AS DOUBLE) AS t,
        CAST(SUM(both_drop_ppm + one_drop_ppm - changed_drop_ppm) AS DOUBLE) AS d
    FROM usage JOIN packages ON usage.package = packages.id
    GROUP BY usage.client, packages.app_id, usage.screen
),
sides AS (
    SELECT
        used.client, used.app, used.screen, used.pairs, used.t1, used.d1, (used.t + used.t1) / 2 AS ran,
        whole.t - used.t AS t0, whole.d - used.d AS d0, v
    FROM used JOIN whole ON used.client = whole.client AND used.screen = whole.screen
),
weighted AS (
    SELECT
        client, app, screen, pairs, t1, d1, ran, v,
        CASE WHEN t1 >= {least_s} AND t0 >= {least_s} THEN t1 * t0 / (t1 + t0) ELSE 0 END AS w,
        CASE WHEN t1 >= {least_s} AND t0 >= {least_s} THEN (d1 * t0 - d0 * t1) / (t1 + t0) ELSE 0 END AS s
    FROM sides
)
SELECT
    client, app, CAST(SUM(pairs) AS BIGINT) AS pairs, SUM(t1) AS seconds, SUM(d1) AS drop_ppm,
    SUM(ran) AS ran_s,
    SUM(CASE WHEN screen = 0 THEN w ELSE 0 END) + SUM(CASE WHEN screen = 1 THEN w ELSE 0 END) + SUM(CASE WHEN screen = 2 THEN w ELSE 0 END) AS w,
    SUM(CASE WHEN screen = 0 THEN s ELSE 0 END) + SUM(CASE WHEN screen = 1 THEN s ELSE 0 END) + SUM(CASE WHEN screen = 2 THEN s ELSE 0 END) AS s,
    SUM(CASE WHEN screen = 0 THEN w * v ELSE 0 END) + SUM(CASE WHEN screen = 1 THEN w * v ELSE 0 END) + SUM(CASE WHEN screen = 2 THEN w * v ELSE 0 END) AS noise
FROM weighted GROUP BY client, app
