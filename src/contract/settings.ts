import ipaddr from 'ipaddr.js'
import { nearest } from './nearest.ts'
import { readNumber as number, type SettingRow } from './settingRow.ts'
import { type TeamLimits, teamLimitRows, usualTeamLimits } from './teamLimits.ts'

const bodies = ['all', 'failed', 'none'] as const
/** Whose headers may say where a visitor is. */
const cdns = ['cloudflare', 'cloudfront'] as const
export type Cdn = (typeof cdns)[number]
/** Ranges (CIDR) of proxies whose X-Forwarded-For is believed, and the CDN of which more is: where a visitor is. */
export type TrustProxy = { readonly ranges: readonly string[]; readonly cdn?: Cdn }
const roles = ['all', 'control', 'edge', 'worker'] as const

/** What an operator may set: environment variable `AGLET_<NAME>` or flag `--name` (decisions: Running it). */
export type Settings = TeamLimits & {
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
  /** `address` or `address:port`; none: those of the system */
  dnsServers: string[]
  allowPrivateDestinations: boolean
  vendorsUrl?: string
  role: (typeof roles)[number]
  acceptWeakSandbox: boolean
  /** with less room on the disk no events are taken */
  minFreeMb: number
  /** of which attempts requests and answers are kept */
  keepBodies: (typeof bodies)[number]
  keepEventsDays: number
  keepFailuresDays: number
  keepJournalDays: number
  /** so many deployments of a tag stay, however old they are */
  keepDeployments: number
  /** calls of the control API in a minute, for each token or person who is signed in, and for each address without */
  rateLimit: number
}

/** A setting that is unknown or bad. Its message is one sentence that says what to write instead. */
export class SettingsProblem extends Error {}

const text = (value: string) => value
const list = (value: string) => value.split(',').map((each) => each.trim())

function all<Value>(values: readonly (Value | undefined)[]): Value[] | undefined {
  return values.includes(undefined) ? undefined : (values as Value[])
}

function origin(value: string): string | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined
  const isBare = url?.pathname === '/' && !url.search && !url.hash && !url.username && !url.password
  return isBare && /^https?:$/.test(url.protocol) ? url.origin : undefined
}

/** A range as it is, an address as the range that holds it alone. */
function range(value: string): string | undefined {
  if (ipaddr.isValidCIDR(value)) return value
  if (!ipaddr.isValid(value)) return undefined
  return `${value}/${ipaddr.parse(value).kind() === 'ipv4' ? 32 : 128}`
}

/** `173.245.48.0/20,cloudflare`: one CDN at most, and only beside the ranges that it is believed from. */
function proxies(value: string): TrustProxy | undefined {
  const entries = list(value)
  const named = cdns.filter((cdn) => entries.includes(cdn))
  const ranges = all(entries.filter((entry) => !cdns.some((cdn) => cdn === entry)).map(range))
  if (!ranges || ranges.length === 0 || named.length > 1) return undefined
  return { ranges, ...(named[0] && { cdn: named[0] }) }
}

/** `10.0.0.53`, `10.0.0.53:5353`, `2001:db8::53` or `[2001:db8::53]:5353`, as node:dns takes them. */
function nameServer(value: string): string | undefined {
  const [, bracketed, v4, port] = /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d+))?$/.exec(value) ?? []
  const address = bracketed ?? v4 ?? value
  const isKnown = v4 === undefined ? ipaddr.IPv6.isValid(address) : ipaddr.IPv4.isValidFourPartDecimal(address)
  return isKnown && (port === undefined || number(port, 1)) ? value : undefined
}

const answers: Record<string, boolean> = { 1: true, true: true, 0: false, false: false }
const yes = { takes: '1 or 0', read: (value: string) => answers[value], isFlag: true } as const
const days = { takes: 'a number of days from 1 to 3650', read: (value: string) => number(value, 1, 3650) } as const
const elsewhere = {
  takes: 'nothing: this build keeps everything in SQLite files of the data directory',
  isHidden: true,
} as const
const never = () => undefined

/** Every setting, in the order of the help text. */
const rows = {
  port: { takes: 'a number from 0 to 65535', help: 'port to listen on (4000)', read: (value) => number(value, 0) },
  host: { takes: 'a host name or address', help: 'address to listen on (127.0.0.1)', read: text },
  data: { takes: 'a path', help: 'data directory (./data)', read: text },
  origin: {
    takes: 'an origin such as https://tags.example.com',
    help: 'the origin that callers see; required where host is not a loopback address',
    read: origin,
  },
  tagOrigin: {
    takes: 'an origin such as https://t.example.com',
    help: 'an origin of their own for the tag URLs',
    read: origin,
  },
  databaseUrl: { ...elsewhere, help: 'not supported by this build', read: never },
  natsUrl: { ...elsewhere, help: 'not supported by this build', read: never },
  rootKey: {
    takes: '32 bytes in base64url or hex',
    help: 'the root key, instead of the file root.key in the data directory',
    read: text,
    isHidden: true,
  },
  geoFile: { takes: 'a path', help: 'a city file (.mmdb) instead of the built-in country file', read: text },
  ratesFile: { takes: 'a path', help: 'exchange rates (.json) for the plugin that converts currencies', read: text },
  trustProxy: {
    takes:
      'a comma list of ranges such as 10.0.0.0/8, with cloudflare or cloudfront where its visitor place is believed',
    help: 'proxies whose X-Forwarded-For is believed',
    read: proxies,
  },
  brand: {
    takes: 'a word of letters and digits such as Service',
    help: 'gives the header <Brand>UserId and the key storage.<brand> (Service)',
    read: (value) => (/^[A-Za-z][A-Za-z0-9]{0,39}$/.test(value) ? value : undefined),
  },
  outboundPorts: {
    takes: 'a comma list of port numbers',
    help: 'ports besides 443 that customer-set addresses may name',
    read: (value) => all(list(value).map((each) => number(each, 1))),
  },
  dnsServers: {
    takes: 'a comma list of addresses such as 10.0.0.53 or 10.0.0.53:5353',
    help: 'name servers to ask about customers’ hosts, instead of the system’s',
    read: (value) => all(list(value).map(nameServer)),
  },
  allowPrivateDestinations: { ...yes, help: 'development: customer-set addresses may be private, http, any port' },
  vendorsUrl: {
    takes: 'an origin such as http://127.0.0.1:9000',
    help: 'development: catalogue providers are sent there instead',
    read: origin,
  },
  role: {
    takes: 'all, control, edge or worker',
    help: 'what this process does (all)',
    read: (value) => roles.find((each) => each === value),
  },
  acceptWeakSandbox: { ...yes, help: 'run untrusted code where its walls cannot all be built' },
  minFreeMb: {
    takes: 'a number of megabytes from 1 to 1000000',
    help: 'megabytes of disk that must be free for events to be taken (64)',
    read: (value) => number(value, 1, 1_000_000),
  },
  keepBodies: {
    takes: 'all, failed or none',
    help: 'of which attempts requests and answers are kept (all)',
    read: (value) => bodies.find((each) => each === value),
  },
  keepEventsDays: { ...days, help: 'days that events are kept (7)' },
  keepFailuresDays: { ...days, help: 'days that failed deliveries are kept, with their events (30)' },
  keepJournalDays: { ...days, help: 'days that the journal is kept (30)' },
  keepDeployments: {
    takes: 'a number from 1 to 100000',
    help: 'deployments of a tag that stay, however old (100)',
    read: (value) => number(value, 1, 100_000),
  },
  rateLimit: {
    takes: 'a number from 1 to 1000000',
    help: 'calls of the control API a minute for each token or signed-in person (600)',
    read: (value) => number(value, 1, 1_000_000),
  },
  ...teamLimitRows,
} as const satisfies Record<string, SettingRow>

export type SettingName = keyof typeof rows
const names = Object.keys(rows) as SettingName[]
const snake = (name: string, mark: string) => name.replace(/[A-Z]/g, (letter) => mark + letter)
export const variableOf = (name: SettingName) => `AGLET_${snake(name, '_').toUpperCase()}`
export const flagOf = (name: SettingName) => `--${snake(name, '-').toLowerCase()}`

/** The settings as flags of the command line: `--port <port>` and what it is for. */
export const settingFlags = names.map((name) => {
  const { isFlag, help }: SettingRow = rows[name]
  return { name, flag: flagOf(name), takesValue: !isFlag, help: `${help} [${variableOf(name)}]` }
})

function readOne(name: SettingName, source: string, given: string): unknown {
  const { takes, read, isHidden }: SettingRow = rows[name]
  const value = read(given)
  if (value !== undefined) return value
  throw new SettingsProblem(`${source} is ${isHidden ? 'set' : JSON.stringify(given)}: write ${takes}.`)
}

function refuseUnknown(env: Readonly<Record<string, string | undefined>>): void {
  const known = names.map(variableOf)
  const unknown = Object.keys(env).find((name) => name.startsWith('AGLET_') && !known.includes(name))
  if (!unknown) return
  const meant = nearest(unknown, known)
  throw new SettingsProblem(
    meant
      ? `There is no setting ${unknown}: did you mean ${meant}?`
      : `There is no setting ${unknown}: take it out of the environment.`,
  )
}

export const isLoopback = (host: string) => /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/.test(host)

/** Where a server that is bound to this host and port can be reached from its own machine. */
export const ownOrigin = (host: string, port: number) =>
  new URL(`http://${host.includes(':') ? `[${host}]` : host}:${port}`).origin

/**
 * Reads what the operator set; a flag goes before its variable, an empty variable counts as none.
 * Throws SettingsProblem for an unknown AGLET_ variable and for a value that a setting does not take.
 */
export function readSettings(
  env: Readonly<Record<string, string | undefined>>,
  flags: Readonly<Partial<Record<SettingName, string>>>,
): Settings {
  refuseUnknown(env)
  const given: Record<string, unknown> = {}
  for (const name of names) {
    const flag = flags[name]
    const variable = env[variableOf(name)]
    if (flag !== undefined) given[name] = readOne(name, flagOf(name), flag)
    else if (variable) given[name] = readOne(name, variableOf(name), variable)
  }
  return withDefaults(given as Partial<Settings>)
}

function withDefaults(given: Partial<Settings>): Settings {
  const { host = '127.0.0.1', port = 4000 } = given
  if (!isLoopback(host) && !given.origin)
    throw new SettingsProblem(
      `AGLET_HOST is ${JSON.stringify(host)}, not a loopback address: set AGLET_ORIGIN to the origin that callers see.`,
    )
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
    minFreeMb: 64,
    keepBodies: 'all',
    keepEventsDays: 7,
    keepFailuresDays: 30,
    keepJournalDays: 30,
    keepDeployments: 100,
    rateLimit: 600,
    ...usualTeamLimits,
    tagOrigin: origin,
    ...given,
    host,
    port,
    origin,
  }
}

/** The settings once the port is known: port 0 asks the system for a free one. */
export function boundTo(settings: Settings, port: number): Settings {
  const before = ownOrigin(settings.host, settings.port)
  const after = ownOrigin(settings.host, port)
  const now = (origin: string) => (origin === before ? after : origin)
  return { ...settings, port, origin: now(settings.origin), tagOrigin: now(settings.tagOrigin) }
}
