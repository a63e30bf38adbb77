import type { Locate } from '#geo/locate.ts'
import type { Log } from '#kit/log.ts'
import type { Meter } from '#kit/meter.ts'
import type { MailQueue } from '#mail/mailQueue.ts'
import type { Rates } from '#plugin/plugin.ts'
import type { GuardPolicy } from '#provider/engine/outboundGuard.ts'
import { createGuardedFetch, fetchLimits } from '#sandbox/guardedFetch.ts'
import type { ParseCode } from '#sandbox/parseCode.ts'
import { createSharedSandbox, type SharedSandbox } from '#sandbox/sharedSandbox.ts'
import { isLoopback, ownOrigin, type Settings } from '#settings/settings.ts'
import type { EnvironmentRuntime } from './environmentRuntime.ts'
import { openLateSender } from './lateSender.ts'

/** State that the roles share: the process-wide parts, and the runtime of each environment. */
export type ServerRuntime = {
  version: string
  settings: Settings
  log: Log
  meter: Meter
  locate: Locate
  rates(): Rates | undefined
  /** Runs customers' code. */
  sandbox: SharedSandbox
  parseCode: ParseCode
  /** Undefined without an SMTP server. */
  mail: MailQueue | undefined
  environments: readonly EnvironmentRuntime[]
}

/** The sandbox of the process, opened at the first run of code; its `fetch` goes through the outbound guard. */
export function openCustomerSandbox(settings: Settings): SharedSandbox {
  const send = openLateSender(() => ({ ...outboundSettings(settings), limits: fetchLimits }))
  const sandbox = createSharedSandbox({ fetch: createGuardedFetch(send), acceptWeak: settings.acceptWeakSandbox })
  return { ...sandbox, close: () => sandbox.close().finally(send.close) }
}

/** The sender's settings for requests to customer-defined addresses. */
export const outboundSettings = ({ allowPrivateDestinations, outboundPorts, port, dnsServers }: Settings) => ({
  allowPrivate: allowPrivateDestinations,
  outboundPorts,
  dnsServers,
  ownPorts: [port],
})

/** The policy on customer-defined addresses. */
export function outboundGuard(settings: Settings): GuardPolicy {
  const { allowPrivate, outboundPorts: ports, ownPorts } = outboundSettings(settings)
  return { allowPrivate, ports, ownPorts }
}

/** The loopback origin where the server listens on a loopback address, else the public origin. */
export const demoInboxOrigin = ({ host, port, origin }: Settings) => (isLoopback(host) ? ownOrigin(host, port) : origin)

/** The demo inbox names of all environments, so that a configuration of the sandbox also works in production. */
export const demoInboxesOf = (environments: readonly Pick<EnvironmentRuntime, 'demoInbox'>[]) =>
  environments.map(({ demoInbox }) => demoInbox)

/**
 * The options of the delivery sender. A demo inbox passes the guard while only this machine can call it, even if another
 * process of this machine serves the origin.
 */
export function senderOptions(settings: Settings, demoInboxes: readonly string[]) {
  const { vendorsUrl, host, origin } = settings
  const origins = isLoopback(host) ? [demoInboxOrigin(settings), origin] : []
  const exactAllowed = origins
    .filter((each) => isLoopback(new URL(each).hostname))
    .flatMap((each) => demoInboxes.map((name) => `${each}/demo/inbox/${name}`))
  return { ...outboundSettings(settings), exactAllowed, ...(vendorsUrl && { vendorsUrl }) }
}
