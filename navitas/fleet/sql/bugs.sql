-- Clients on which an app in `effect` drains much more than on others. z is in standard deviations of the client's noise.
, judged AS (
    SELECT
        client, app, pairs, ran_s, drop_ppm, w, s / w - beta AS extra, SQRT(noise + spread * w * w) / w AS error, (s - beta * w) / SQRT(noise + spread * w * w) AS z
    FROM weighed WHERE w >= {least_s} AND noise > 0
)
SELECT * FROM judged WHERE z > {least}
