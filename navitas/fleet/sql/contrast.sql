-- By client and app: how much faster the battery drained with the app at both ends of a pair than at neither, by screen and summed.
-- A difference of rates weighs T1 * T0 / (T1 + T0), which its variance is inverse to. Pairs with the app at one end tell nothing.
WITH used AS (
    SELECT
        usage.client, packages.app_id AS app,
        SUM(both_off_pairs + both_on_pairs) AS pairs,
        CAST(SUM(both_off_seconds) AS DOUBLE) AS off_t1, CAST(SUM(both_off_drop_ppm) AS DOUBLE) AS off_d1,
        CAST(SUM(both_off_seconds + one_off_seconds) AS DOUBLE) AS off_t, CAST(SUM(both_off_drop_ppm + one_off_drop_ppm) AS DOUBLE) AS off_d,
        CAST(SUM(both_on_seconds) AS DOUBLE) AS on_t1, CAST(SUM(both_on_drop_ppm) AS DOUBLE) AS on_d1,
        CAST(SUM(both_on_seconds + one_on_seconds) AS DOUBLE) AS on_t, CAST(SUM(both_on_drop_ppm + one_on_drop_ppm) AS DOUBLE) AS on_d
    FROM usage JOIN packages ON usage.package = packages.id
    GROUP BY usage.client, packages.app_id
),
whole AS (
    SELECT
        client,
        CAST(SUM(off_pairs) AS DOUBLE) AS off_n, CAST(SUM(on_pairs) AS DOUBLE) AS on_n,
        CAST(SUM(off_seconds) AS DOUBLE) AS off_t, CAST(SUM(on_seconds) AS DOUBLE) AS on_t,
        CAST(SUM(off_drop_ppm) AS DOUBLE) AS off_d, CAST(SUM(on_drop_ppm) AS DOUBLE) AS on_d,
        SUM(off_square) AS off_q, SUM(on_square) AS on_q
    FROM clients GROUP BY client
),
parted AS (
    SELECT
        used.client, used.app, used.pairs,
        used.off_t1 + used.on_t1 AS seconds, used.off_d1 + used.on_d1 AS drop_ppm,
        used.off_t1, used.off_d1, whole.off_t - used.off_t AS off_t0, whole.off_d - used.off_d AS off_d0,
        used.on_t1, used.on_d1, whole.on_t - used.on_t AS on_t0, whole.on_d - used.on_d AS on_d0,
        CASE WHEN whole.off_n > 1 THEN (whole.off_q - whole.off_d * whole.off_d / whole.off_t) / (whole.off_n - 1) ELSE 0 END AS off_v,
        CASE WHEN whole.on_n > 1 THEN (whole.on_q - whole.on_d * whole.on_d / whole.on_t) / (whole.on_n - 1) ELSE 0 END AS on_v
    FROM used JOIN whole ON used.client = whole.client
),
weighed AS (
    SELECT
        client, app, pairs, seconds, drop_ppm, off_v, on_v,
        CASE WHEN off_t1 > 0 AND off_t0 > 0 THEN off_t1 * off_t0 / (off_t1 + off_t0) ELSE 0 END AS off_w,
        CASE WHEN off_t1 > 0 AND off_t0 > 0 THEN (off_d1 * off_t0 - off_d0 * off_t1) / (off_t1 + off_t0) ELSE 0 END AS off_s,
        CASE WHEN on_t1 > 0 AND on_t0 > 0 THEN on_t1 * on_t0 / (on_t1 + on_t0) ELSE 0 END AS on_w,
        CASE WHEN on_t1 > 0 AND on_t0 > 0 THEN (on_d1 * on_t0 - on_d0 * on_t1) / (on_t1 + on_t0) ELSE 0 END AS on_s
    FROM parted
),
contrast AS (
    SELECT
        client, app, pairs, seconds, drop_ppm,
        off_w + on_w AS w, off_s + on_s AS s, off_w * off_v + on_w * on_v AS noise
    FROM weighed
)
