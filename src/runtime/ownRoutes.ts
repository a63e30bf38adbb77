import { demoInboxRoutes } from '#http/demoInboxRoutes.ts'
import { healthRoutes, type Readiness } from '#http/healthRoutes.ts'
import type { PlainApp } from '#http/plainRoute.ts'
import { statusPageRoute } from '#http/statusPage.ts'
import { tlsDomainCheckRoute } from '#http/tlsDomainCheck.ts'
import { isLoopback } from '#settings/settings.ts'
import type { EnvironmentRuntime } from './environmentRuntime.ts'
import { basePath } from './environmentStore.ts'
import { demoInboxesOf, type ServerRuntime } from './sharedRuntime.ts'

export type ServerStatus = { ready(): Promise<Readiness>; metrics(): Promise<string> }

/** Routes of every role: health, metrics, status page, TLS domain check and demo inbox. */
export function ownRoutes(app: PlainApp, server: ServerRuntime, deps: ServerStatus): void {
  const { version, settings, environments: runtimes } = server
  healthRoutes(app, { ...deps, version })
  const environments = runtimes.map(({ environment, tagUrl }) => ({
    environment,
    baseUrl: settings.origin + basePath(environment),
    tagUrls: tagUrl('{tagId}'),
  }))
  statusPageRoute(app, { version, brand: settings.brand, environments })
  const ownHosts = [settings.origin, settings.tagOrigin].map((origin) => new URL(origin).hostname)
  tlsDomainCheckRoute(app, (host) => ownHosts.includes(host) || runtimes.some((runtime) => isServed(runtime, host)))
  if (isLoopback(settings.host)) demoInboxRoutes(app, demoInboxesOf(runtimes), runtimes[0]!.clock.now)
}

const isServed = ({ snapshots, servedHosts }: EnvironmentRuntime, host: string) =>
  servedHosts.isReady(host) && snapshots.byHost(host) !== undefined
