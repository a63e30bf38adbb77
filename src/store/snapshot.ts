import type { AdapterName } from '#contract/adapterNames.ts'
import type { CaptureBeforeConsent } from '#contract/edgeResponses.ts'
import type { OrderScope } from '#contract/order.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import type { ChannelRules } from '#contract/rule/channelRules.ts'
import type { ConsentCategory, ValueMode } from '#contract/script.ts'
import type { Shop } from '#contract/shop.ts'
import type { ShopSecretName } from '#contract/shopNames.ts'
import type { SourceName } from '#contract/sourceNames.ts'
import type { SaleOptOut } from '#contract/tag.ts'
import type { TcfSettings } from '#contract/tcfSettings.ts'

/** The version of a secret that a deployed script uses. The value stays sealed in the store. */
export type SecretRef = { secretId: string; version: number }

/** A shop of a tag. Absent options have their defaults. Secrets are sealed with the team's key, in base64. */
export type StoredShop = Pick<Shop, 'source' | 'shop'> &
  Partial<Omit<Shop, 'source' | 'shop' | 'secrets'>> & { secrets: Partial<Record<ShopSecretName, string>> }

/** A deployed script, as the edge and the worker use it. */
export type SnapshotScript = ChannelRules & {
  scriptId: string
  name: string
  providerId: ProviderId
  consentCategory?: ConsentCategory
  geoRegions?: string
  purchaseValueMode: ValueMode
  secrets: Record<string, SecretRef>
}

/**
 * A live tag: its settings and its deployed scripts. Immutable, numbered from 1. The only type that passes data from
 * control to edge and worker.
 */
export type Snapshot = {
  tagId: string
  teamId: string
  number: number
  name: string
  domain: string
  hosts: string[]
  allowedOrigins: string[]
  consent: 'enabled' | 'disabled'
  gpc: boolean
  /** How TC strings are read. Default: `tcfSettings.ts`. */
  tcf?: TcfSettings
  /** The effect of an opt-out of sale in a GPP string. Default: `refuse`. */
  saleOptOut?: SaleOptOut
  sameSite: 'Lax' | 'Strict' | 'None'
  serverToken: 'optional' | 'required'
  /** How long an event without a required consent is held, in minutes. Default: off. */
  hold?: 'off' | number
  /** The behaviour of the browser SDK before consent is given. Default: `all`. */
  captureBeforeConsent?: CaptureBeforeConsent
  /** The country of phone numbers without country code: ISO 3166-1 alpha-2. Default: the country of the location. */
  defaultCountry?: string
  /** The protocols of other products that the tag URL speaks. Default: none. */
  sources?: SourceName[]
  /** The shops whose webhooks the tag accepts. Default: none. */
  shops?: StoredShop[]
  /** The adapters that pages load with the SDK. Default: none. */
  adapters?: AdapterName[]
  /** The adapter whose events are sent. Default: none; the first adapter to read an event sends it. */
  primaryAdapter?: AdapterName | 'none'
  /** Whether adapters add event ids to calls that have none. Default: true. */
  passEventId?: boolean
  /** A version of the manifest. Default: `latest`. */
  sdkVersion?: string
  edgeVersion?: string
  /** The orders of the shop that are reconciled. Default: see `fillScope`. */
  reconciliation?: OrderScope
  /** The event shard of the tag in a stored snapshot. Absent: the first. Not visible to callers of the store. */
  shard?: number
  plugins: { plugin: string; settings?: Record<string, unknown> }[]
  scripts: SnapshotScript[]
}

export type DeploymentRecord = {
  tagId: string
  number: number
  snapshot: Snapshot
  by: string
  createdAt: number
  /** The number of the older deployment that this one repeats. */
  activates?: number
}
/** A deployment in a list: the hashes of its parts (`snapshotParts.ts`) instead of its snapshot. */
export type DeploymentEntry = Omit<DeploymentRecord, 'snapshot'> & { parts: readonly string[] }
