import ipaddr from 'ipaddr.js'
import { closestName } from '#contract/closestName.ts'
import { defaultTeamLimits, type TeamLimits, teamLimitSpecs } from '#settings/teamLimits.ts'
import {
  type DatabaseSettings,
  databaseSettingSpecs,
  defaultDatabaseSettings,
  findSettingsConflict,
} from './databaseSettings.ts'
import { findMailConflict, type MailSettings, mailSettingSpecs } from './mailSettings.ts'
import { allDefined, parseNumber as number, type SettingSpec, splitList } from './settingSpec.ts'
import { parseTrustProxy, type TrustProxy } from './trustProxy.ts'

const bodyChoices = ['all', 'failed', 'none'] as const
const roleChoices = ['all', 'control', 'edge', 'worker'] as const

/** The operator's settings: environment variable `AGLET_<NAME>` or flag `--name` (decisions: Running it). */
export type Settings = TeamLimits &
  DatabaseSettings &
  MailSettings & {
    port: number
    host: string
    /** the data directory, as given */
    data: string
    /** scheme, host and port that callers see, without a path */
    origin: string
    tagOrigin: string
    rootKey?: string
    geoFile?: string
    ratesFile?: string
    trustProxy: TrustProxy
    brand: string
    outboundPorts: number[]
    /** `address` or `address:port`; empty: the system's resolvers */
    dnsServers: string[]
    allowPrivateDestinations: boolean
    vendorsUrl?: string
    role: (typeof roleChoices)[number]
    acceptWeakSandbox: boolean
    /** events are refused while the disk has fewer free megabytes */
    minFreeMb: number
    /** the attempts whose requests and responses are stored */
    keepBodies: (typeof bodyChoices)[number]
    keepBodiesRate?: number
    keepEventsDays: number
    keepFailuresDays: number
    keepJournalDays: number
    /** how many deployments of a tag are kept regardless of age */
    keepDeployments: number
    /** calls of the control API per minute, for each token or signed-in person, and for each IP address of other calls */
    rateLimit: number
  }

/** An unknown setting or a bad value. Its message is one sentence that says what to write instead. */
export class SettingsError extends Error {}

const asText = (value: string) => value

function parseOrigin(value: string): string | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined
  const isBare = url?.pathname === '/' && !url.search && !url.hash && !url.username && !url.password
  return isBare && /^https?:$/.test(url.protocol) ? url.origin : undefined
}

/** `10.0.0.53`, `10.0.0.53:5353`, `2001:db8::53` or `[2001:db8::53]:5353`, in the form that node:dns accepts. */
function nameServer(value: string): string | undefined {
  const [, bracketed, v4, port] = /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d+))?$/.exec(value) ?? []
  const address = bracketed ?? v4 ?? value
  const isValid = v4 === undefined ? ipaddr.IPv6.isValid(address) : ipaddr.IPv4.isValidFourPartDecimal(address)
  return isValid && (port === undefined || number(port, 1)) ? value : undefined
}

const booleanValues: Record<string, boolean> = { 1: true, true: true, 0: false, false: false }
const booleanSpec = { takes: '1 or 0', read: (value: string) => booleanValues[value], isFlag: true } as const
const daysSpec = { takes: 'a number of days from 1 to 3650', read: (value: string) => number(value, 1, 3650) } as const

/** Every setting, in the order of the help text. */
const settingSpecs = {
  port: { takes: 'a number from 0 to 65535', help: 'port to listen on (4000)', read: (value) => number(value, 0) },
  host: { takes: 'a host name or address', help: 'address to listen on (127.0.0.1)', read: asText },
  data: { takes: 'a path', help: 'data directory (./data)', read: asText },
  origin: {
    takes: 'an origin such as https://tags.example.com',
    help: 'the origin that callers see; required when host is not a loopback address',
    read: parseOrigin,
  },
  tagOrigin: {
    takes: 'an origin such as https://t.example.com',
    help: 'a separate origin for the tag URLs',
    read: parseOrigin,
  },
  ...databaseSettingSpecs,
  rootKey: {
    takes: '32 bytes in base64url or hex',
    help: 'the root key, instead of the file root.key in the data directory; required with a database URL',
    read: asText,
    isHidden: true,
  },
  geoFile: { takes: 'a path', help: 'a city file (.mmdb) instead of the built-in country file', read: asText },
  ratesFile: { takes: 'a path', help: 'exchange rates (.json) for the plugin that converts currencies', read: asText },
  trustProxy: {
    takes:
      'a comma list of ranges such as 10.0.0.0/8, with cloudflare or cloudfront where its visitor location is trusted',
    help: 'proxies whose X-Forwarded-For is trusted',
    read: parseTrustProxy,
  },
  brand: {
    takes: 'a word of letters and digits such as Service',
    help: 'the name in the header <Brand>UserId and the key storage.<brand> (Service)',
    read: (value) => (/^[A-Za-z][A-Za-z0-9]{0,39}$/.test(value) ? value : undefined),
  },
  outboundPorts: {
    takes: 'a comma list of port numbers',
    help: 'ports besides 443 that addresses set by customers may have',
    read: (value) => allDefined(splitList(value).map((each) => number(each, 1))),
  },
  dnsServers: {
    takes: 'a comma list of addresses such as 10.0.0.53 or 10.0.0.53:5353',
    help: 'name servers for customers’ hosts, instead of the system’s',
    read: (value) => allDefined(splitList(value).map(nameServer)),
  },
  allowPrivateDestinations: {
    ...booleanSpec,
    help: 'development: addresses set by customers may be private, http, any port',
  },
  vendorsUrl: {
    takes: 'an origin such as http://127.0.0.1:9000',
    help: 'development: requests of catalogue providers are sent there instead',
    read: parseOrigin,
  },
  role: {
    takes: 'all, control, edge or worker',
    help: 'what this process does (all)',
    read: (value) => roleChoices.find((each) => each === value),
  },
  acceptWeakSandbox: { ...booleanSpec, help: 'run untrusted code where some isolation layers are not available' },
  minFreeMb: {
    takes: 'a number of megabytes from 1 to 1000000',
    help: 'megabytes of free disk below which events are refused (64)',
    read: (value) => number(value, 1, 1_000_000),
  },
  keepBodies: {
    takes: 'all, failed or none',
    help: 'attempts that are stored with their requests and responses (all)',
    read: (value) => bodyChoices.find((each) => each === value),
  },
  keepBodiesRate: {
    takes: 'a number from 1 to 1000000',
    help: 'successful attempts of a tag per second that are stored with their requests (no limit)',
    read: (value) => number(value, 1, 1_000_000),
  },
  keepEventsDays: { ...daysSpec, help: 'days that events are stored (7)' },
  keepFailuresDays: { ...daysSpec, help: 'days that failed deliveries are stored, with their events (30)' },
  keepJournalDays: { ...daysSpec, help: 'days that the journal is stored (30)' },
  keepDeployments: {
    takes: 'a number from 1 to 100000',
    help: 'deployments of a tag that are kept regardless of age (100)',
    read: (value) => number(value, 1, 100_000),
  },
  rateLimit: {
    takes: 'a number from 1 to 1000000',
    help: 'calls of the control API per minute for each token or signed-in person (600)',
    read: (value) => number(value, 1, 1_000_000),
  },
  ...mailSettingSpecs,
  ...teamLimitSpecs,
} as const satisfies Record<string, SettingSpec>

export type SettingName = keyof typeof settingSpecs
const settingNames = Object.keys(settingSpecs) as SettingName[]
const splitName = (name: string, mark: string) => name.replace(/[A-Z]/g, (letter) => mark + letter)
export const settingVariable = (name: SettingName) => `AGLET_${splitName(name, '_').toUpperCase()}`
export const settingFlag = (name: SettingName) => `--${splitName(name, '-').toLowerCase()}`

/** The settings as command-line flags: `--port <port>` and its purpose. */
export const settingFlags = settingNames.map((name) => {
  const { isFlag, isHidden, help }: SettingSpec = settingSpecs[name]
  const flag = settingFlag(name)
  return {
    name,
    flag,
    takesValue: !isFlag,
    isHidden: isHidden ?? false,
    about: help,
    help: `${help} [${settingVariable(name)}]`,
  }
})

function readSetting(name: SettingName, source: string, text: string): unknown {
  const { takes, read, isHidden }: SettingSpec = settingSpecs[name]
  const value = read(text)
  if (value !== undefined) return value
  throw new SettingsError(`${source} is ${isHidden ? 'set' : JSON.stringify(text)}: write ${takes}.`)
}

function refuseUnknownVariables(env: Readonly<Record<string, string | undefined>>): void {
  const known = settingNames.map(settingVariable)
  const unknown = Object.keys(env).find((name) => name.startsWith('AGLET_') && !known.includes(name))
  if (!unknown) return
  const meant = closestName(unknown, known)
  throw new SettingsError(
    meant
      ? `Unknown setting ${unknown}: did you mean ${meant}?`
      : `Unknown setting ${unknown}: remove it from the environment.`,
  )
}

/** Whether the process has this role. */
export const hasRole = (role: 'control' | 'edge' | 'worker', { role: chosen }: Pick<Settings, 'role'>) =>
  chosen === 'all' || chosen === role

export const isLoopback = (host: string) => /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/.test(host)

/** The origin at which a server bound to this host and port is reachable from its own machine. */
export const ownOrigin = (host: string, port: number) =>
  new URL(`http://${host.includes(':') ? `[${host}]` : host}:${port}`).origin

/**
 * Reads the settings. A flag overrides its variable. An empty variable counts as unset. Throws SettingsError for an
 * unknown AGLET_ variable and for an invalid value.
 */
export function readSettings(
  env: Readonly<Record<string, string | undefined>>,
  flags: Readonly<Partial<Record<SettingName, string>>>,
): Settings {
  refuseUnknownVariables(env)
  const given: Record<string, unknown> = {}
  for (const name of settingNames) {
    const flag = flags[name]
    const variable = env[settingVariable(name)]
    if (flag !== undefined) given[name] = readSetting(name, settingFlag(name), flag)
    else if (variable) given[name] = readSetting(name, settingVariable(name), variable)
  }
  return withDefaults(given as Partial<Settings>)
}

function withDefaults(given: Partial<Settings>): Settings {
  const { host = '127.0.0.1', port = 4000 } = given
  if (!isLoopback(host) && !given.origin)
    throw new SettingsError(
      `AGLET_HOST is ${JSON.stringify(host)}, not a loopback address: set AGLET_ORIGIN to the origin that callers see.`,
    )
  const conflict = findSettingsConflict(given) ?? findMailConflict(given)
  if (conflict) throw new SettingsError(conflict)
  const origin = given.origin ?? ownOrigin(host, port)
  return {
    data: './data',
    trustProxy: { ranges: [] },
    brand: 'Service',
    outboundPorts: [],
    dnsServers: [],
    allowPrivateDestinations: false,
    role: 'all',
    acceptWeakSandbox: false,
    ...defaultDatabaseSettings,
    minFreeMb: 64,
    keepBodies: 'all',
    keepEventsDays: 7,
    keepFailuresDays: 30,
    keepJournalDays: 30,
    keepDeployments: 100,
    rateLimit: 600,
    ...defaultTeamLimits,
    tagOrigin: origin,
    ...given,
    host,
    port,
    origin,
  }
}

/** The settings with the port to which the server is bound: for port 0, the system chooses a free one. */
export function withBoundPort(settings: Settings, port: number): Settings {
  const requested = ownOrigin(settings.host, settings.port)
  const bound = ownOrigin(settings.host, port)
  const withPort = (origin: string) => (origin === requested ? bound : origin)
  return { ...settings, port, origin: withPort(settings.origin), tagOrigin: withPort(settings.tagOrigin) }
}
