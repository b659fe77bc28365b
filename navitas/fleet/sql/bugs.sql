-- Clients on which an app in `effect` drains much more than on others. z is in standard deviations of the client's noise.
WITH judged AS (
    SELECT
        client, contrast.app, pairs, seconds, drop_ppm, w, s / w - effect.beta AS extra, SQRT(noise) / w AS error,
        (s - effect.beta * w) / SQRT(noise) AS z
    FROM contrast JOIN effect ON contrast.app = effect.app WHERE w > 0 AND noise > 0
)
SELECT * FROM judged WHERE z > {least}
