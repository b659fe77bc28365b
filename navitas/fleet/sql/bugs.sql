-- How long the apps in `suspect` run on the clients in it.
SELECT contrast.client, contrast.app, pairs, ran_s, drop_ppm
FROM contrast JOIN suspect ON contrast.client = suspect.client AND contrast.app = suspect.app
