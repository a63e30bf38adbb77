import { type Fields, fieldsOf, put, textOf } from './values.ts'

type Platform = 'ios' | 'android'

/** How the SDKs for apps name the systems of Apple and Google, in `device.type` or `os.name`. */
const platforms: ReadonlyMap<string, Platform> = new Map([
  ...['ios', 'ipados', 'tvos', 'watchos'].map((name) => [name, 'ios'] as const),
  ['android', 'android'],
])

const platformOf = (name: unknown) => (typeof name === 'string' ? platforms.get(name.toLowerCase()) : undefined)

const shortText = (value: unknown) => textOf(value)?.slice(0, 200)

/** An all-zero id means that the person does not allow tracking, so it is ignored. */
function idOf(value: unknown): string | undefined {
  const id = shortText(value)
  return id === undefined || /^[0-]+$/.test(id) ? undefined : id
}

/**
 * Stores what an app's SDK reports about the app and the device: facts in the event's field `app`, ids in `data` under
 * the names that providers read. The advertising id is used only if the person allows tracking. Returns true for an
 * app, false for a page or a server.
 */
export function putDevice(event: Record<string, unknown>, context: Fields): boolean {
  const [app, device, os] = [fieldsOf(context.app), fieldsOf(context.device), fieldsOf(context.os)]
  const platform = platformOf(device.type) ?? platformOf(os.name)
  if (!platform || (app.namespace ?? app.name ?? app.version) === undefined) return false
  event.app = appFacts({ app, device, os, context }, platform)
  const ids: Record<string, unknown> = {}
  if (device.adTrackingEnabled === true) put(ids, platform === 'ios' ? 'idfa' : 'gaid', idOf(device.advertisingId))
  // on Android the SDKs generate an id of their own
  if (platform === 'ios') put(ids, 'idfv', idOf(device.id))
  event.data = { ...ids, ...fieldsOf(event.data) }
  return true
}

function appFacts(
  { app, device, os, context }: { app: Fields; device: Fields; os: Fields; context: Fields },
  platform: Platform,
): Record<string, unknown> {
  const facts: Record<string, unknown> = { platform }
  const [screen, network] = [fieldsOf(context.screen), fieldsOf(context.network)]
  put(facts, 'id', shortText(app.namespace))
  put(facts, 'name', shortText(app.name))
  put(facts, 'version', shortText(app.version))
  put(facts, 'build', shortText(app.build))
  put(facts, 'osVersion', shortText(os.version))
  put(facts, 'model', shortText(device.model))
  put(facts, 'manufacturer', shortText(device.manufacturer))
  put(facts, 'locale', shortText(context.locale))
  put(facts, 'timezone', shortText(context.timezone))
  put(facts, 'carrier', shortText(network.carrier))
  put(facts, 'screenWidth', shortText(screen.width))
  put(facts, 'screenHeight', shortText(screen.height))
  put(facts, 'screenDensity', shortText(screen.density))
  if (typeof device.adTrackingEnabled === 'boolean') facts.adTracking = device.adTrackingEnabled
  return facts
}

/** True if an event reports that the app was opened, possibly by a link. */
const isOpening = (name: unknown) => name === 'Deep Link Opened' || name === 'Application Opened'

/** Adds the link that opened an app. Click ids are read from its query. Only a web link becomes the page URL. */
export function putDeepLink(event: Record<string, unknown>, name: unknown, properties: Fields): void {
  const link = isOpening(name) ? textOf(properties.url) : undefined
  if (link === undefined) return
  if (/^https?:\/\//i.test(link)) event.pageUrl ??= link
  const [beforeFragment = ''] = link.split('#', 1)
  const question = beforeFragment.indexOf('?')
  if (question >= 0) event.search ??= beforeFragment.slice(question)
}
