import type { ProviderId } from '#contract/providerIds.ts'
import type { Filter, MapRule, Rename } from '#contract/rule/channelRules.ts'
import type { SourceName } from '#contract/sourceNames.ts'

/** The outcome for one element of an export. */
export const importStatuses = ['mapped', 'needsValue', 'needsDecision', 'notMapped'] as const
export type ImportStatus = (typeof importStatuses)[number]

/** Why an element needs a person or has no equivalent. */
export const importCodes = {
  UNKNOWN_TEMPLATE: 'this template or destination has no known vendor',
  CUSTOM_CODE: 'it is your own code, which is never run or copied',
  PAGE_ONLY: 'it works in the page and stays there',
  NO_API: 'the vendor has no server API for it',
  MISSING_VALUE: 'a value is not in the export',
  DYNAMIC_VALUE: 'the value is computed for each event',
  CONDITION_NOT_EXPRESSIBLE: 'the condition cannot be written as a channel rule',
  MISSING_REFERENCE: 'it refers to something that the export does not contain',
  CYCLE: 'the variable refers to itself',
  FIRESTORE: 'it reads a database during the event',
  SCHEDULE: 'it is switched on and off by date',
  SEQUENCE: 'it depends on the order of other tags',
  CONSENT: 'you must decide who may receive the events',
  REPEATED_KEY: 'a key occurs twice; the last one counts',
  ENDED_PRODUCT: 'the vendor has discontinued this product',
  TOO_LONG: 'a text or list is longer than a channel accepts',
} as const
export type ImportCode = keyof typeof importCodes

export type Note = { status: ImportStatus; code?: ImportCode; text: string }

/** One element of the export and its outcome. Its status is the worst of its notes. */
export type ImportedElement = {
  kind: string
  id: string
  name: string
  status: ImportStatus
  notes: Note[]
  /** The channels that contain it. */
  channels: string[]
}

/** A literal value, or an entry of the secrets file. */
export type ImportedSecret = string | { file: string; key: string }

/** A script of a configuration file. */
export type ImportedScript = {
  name: string
  providerId: ProviderId
  consentCategory?: string
  filter?: Filter
  rename?: Rename
  map?: readonly MapRule[]
  sample?: number
  /** Only for a sandbox tag; null unsets it. */
  geoRegions?: string | null
  purchaseValueMode?: 'gross' | 'net'
  secrets?: Record<string, ImportedSecret>
}

type ImportedTag = { name: string; domain: string; sources?: SourceName[]; scripts: ImportedScript[] }

export type ChannelSummary = {
  name: string
  providerId: string
  /** False if it was switched off in the export; the file then has it as a comment. */
  isActive: boolean
  from: string[]
  /** Ids and other values that are not secret. */
  values: Record<string, string>
  /** The names of its events; absent if a filter does not list them. */
  events?: string[]
  /** The entries of the secrets file that a person has to fill in. */
  missing: string[]
}

export type ImportReport = {
  product: string
  counts: Record<ImportStatus, number>
  channels: ChannelSummary[]
  elements: ImportedElement[]
  /** Steps for the whole move, such as the line to change in the page. */
  steps: string[]
}

export type ImportResult = {
  configuration: { tags: [ImportedTag] }
  /** The channels that were switched off in the export. */
  inactive: ImportedScript[]
  /** Every entry of the secrets file. An empty text is a value that the export does not contain. */
  secrets: Record<string, string>
  report: ImportReport
}

export type ImportOptions = {
  tagName: string
  domain: string
  /** The name of the secrets file, as the configuration refers to it. */
  secretsFile: string
}

/** The file is not a readable export. The message says what is wrong, where, and what to do. */
export class ImportError extends Error {}

export const importLimits = { bytes: 20_000_000, depth: 200, elements: 5_000, channels: 500 } as const
