-- Contrasts of the apps in `effect`, with the weight w in place of its classes: each times its reliability.
-- `spread` is the variance of an app's effect among clients. `weight` is that of a client: 0 if the app
-- needs the screen's brightness (`lit`), and the client does not report it.
WITH weighed AS (
    SELECT
        contrast.client, contrast.app, pairs, ran_s, drop_ppm, s, noise, effect.beta, effect.spread,
        CASE WHEN effect.lit THEN counted.bright_weight ELSE counted.weight END AS weight,
        w0 + w1 * effect.l1 + w2 * effect.l2 + w3 * effect.l3 + w4 * effect.l4 AS w
    FROM contrast JOIN effect ON contrast.app = effect.app JOIN counted ON contrast.client = counted.client
)
