import type { GuardPolicy } from '#provider/engine/outboundGuard.ts'
import type { EnvironmentRuntime } from './environmentRuntime.ts'
import { isLoopback, ownOrigin, type Settings } from './settings.ts'

/** The sender's settings for requests to addresses that a customer may set. */
export const outboundSettings = ({ allowPrivateDestinations, outboundPorts, port, dnsServers }: Settings) => ({
  allowPrivate: allowPrivateDestinations,
  outboundPorts,
  dnsServers,
  ownPorts: [port],
})

/** The policy on addresses that customers may set. */
export function outboundGuard(settings: Settings): GuardPolicy {
  const { allowPrivate, outboundPorts: ports, ownPorts } = outboundSettings(settings)
  return { allowPrivate, ports, ownPorts }
}

/** The loopback origin where the server listens on a loopback address, else the public origin. */
export const demoInboxOrigin = ({ host, port, origin }: Settings) => (isLoopback(host) ? ownOrigin(host, port) : origin)

/** The options of the sender of deliveries. The demo inbox passes the guard while only this machine can call it. */
export function senderOptions(settings: Settings, { demoInbox }: EnvironmentRuntime) {
  const { vendorsUrl, host } = settings
  const exactAllowed = isLoopback(host) ? [`${demoInboxOrigin(settings)}/demo/inbox/${demoInbox}`] : []
  return { ...outboundSettings(settings), exactAllowed, ...(vendorsUrl && { vendorsUrl }) }
}
