import type { ServerSetting } from '#contract/operator.ts'
import type { ServerReport } from '#control/serverReport.ts'
import type { Readiness } from '#http/healthRoutes.ts'
import { isLoopback, type Settings, settingFlags, settingVariable } from '#settings/settings.ts'

const formatValue = (value: unknown): string => {
  if (value === undefined) return ''
  if (Array.isArray(value)) return value.join(',')
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

/** For a secret, only whether it is set. */
const showSettings = (settings: Settings): ServerSetting[] =>
  settingFlags.map(({ name, about, isHidden }) => {
    const value = formatValue(settings[name as keyof Settings])
    return { name: settingVariable(name), value: isHidden && value !== '' ? 'set' : value, isHidden, help: about }
  })

/** Recommendations for the operator, as sentences. */
function adviceFor({ origin, tagOrigin, host, allowPrivateDestinations, acceptWeakSandbox }: Settings): string[] {
  const isPublic = !isLoopback(new URL(origin).hostname) || !isLoopback(host)
  const advice = [
    isPublic &&
      origin === tagOrigin &&
      'Set AGLET_TAG_ORIGIN to another host, so that customers’ webhooks do not respond on the origin of the dashboard.',
    isPublic &&
      origin.startsWith('http:') &&
      'Serve AGLET_ORIGIN over https, so that sessions and tokens are encrypted.',
    allowPrivateDestinations && 'AGLET_ALLOW_PRIVATE_DESTINATIONS is on: customers can reach this network.',
    acceptWeakSandbox && 'AGLET_ACCEPT_WEAK_SANDBOX is on: untrusted code runs with fewer isolation layers.',
  ]
  return advice.filter((each) => each !== false)
}

export const createServerReport = (
  settings: Settings,
  deps: { version: string; ready(): Promise<Readiness> },
): ServerReport => ({
  version: deps.version,
  ready: deps.ready,
  advice: () => adviceFor(settings),
  settings: () => showSettings(settings),
})
