# syntax=docker/dockerfile:1
# The image of svc: `docker build -t svc .`, or by docker-compose.yml.
ARG NODE_IMAGE=node:24-slim

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# Without the workspace, whose packages only build the dashboard: `npm ci --workspaces=false` would leave 37 MB of them, and `npm ci`
# refuses a package.json that differs from the lock file; `npm install` takes the versions of the lock file, too.
# --ignore-scripts: the image has Node, so the one that the npm package `node` would download is not needed.
RUN npm pkg delete workspaces && npm install --omit=dev --ignore-scripts --no-audit --no-fund

FROM ${NODE_IMAGE} AS dashboard
WORKDIR /app
COPY package.json package-lock.json ./
COPY dashboard/package.json dashboard/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build

FROM ${NODE_IMAGE}
WORKDIR /app
ENV NODE_ENV=production \
    MALLOC_ARENA_MAX=2 \
    SVC_HOST=0.0.0.0 \
    SVC_DATA_DIR=/data
COPY --from=dependencies /app/node_modules node_modules
COPY package.json LICENSE ./
COPY src src
COPY projections projections
COPY --from=dashboard /app/dashboard/build dashboard/build
COPY --from=dashboard /app/node_modules/.svc-bundles node_modules/.svc-bundles
# A named volume inherits the owner of the folder that it is mounted on.
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node
EXPOSE 2455 1455
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${Number(process.env.SVC_PORT) || 2455}/health`).then((response) => process.exit(response.ok ? 0 : 1), () => process.exit(1))"]
# Node is process 1, so that SIGTERM reaches it and open streams can finish.
ENTRYPOINT ["node", "--max-semi-space-size=16", "src/start.mjs"]
CMD ["serve"]
