import type { TagEvent } from '#contract/event.ts'
import type { ConsentCategory } from '#contract/script.ts'
import type { StandardEvent } from '#contract/standardEvents.ts'
import type { WellKnownEvent } from '#contract/wellKnownEvents.ts'
import type { BatchSpec } from './batch.ts'
import type { CustomerCode } from './customerCode.ts'
import type { HostKind } from './hostKind.ts'
import type { MatchKeys } from './matchKeys.ts'
import type { Rating } from './rating.ts'
import type { RequestContext, RequestSpec, Skip } from './request.ts'
import type { ResponseRule } from './responseRule.ts'
import { hostLabelCheck, type SecretSpecs, type SecretsOf } from './secret.ts'
import type { RequestSteps } from './steps.ts'
import type { TokenRequest } from './tokenRequest.ts'
import type { PersonId, UserRules } from './userRule.ts'

/** An event that a provider can list in `events`. */
export type ListedEvent = StandardEvent | WellKnownEvent

/** A value that identifies the person: a field of `user`, a captured value, or a device or app id (`appIds`). */
type IdentityField<U extends UserRules> = (keyof U & string) | `captured.${string}` | `app.${string}`

/**
 * All facts of one provider except its examples, which are in `src/providers/examples/<providerId>.ts`. Write a member
 * with a default only if the value differs.
 */
export type Provider<S extends SecretSpecs = SecretSpecs, U extends UserRules = UserRules> = {
  label: string
  stage: 'draft' | 'beta' | 'live'
  /** The default consent category of a script, then the others that it may be set to. */
  consent: readonly [ConsentCategory, ...ConsentCategory[]]
  /** The vendor's id in the Global Vendor List of IAB Europe. Its declaration is in `consent/text/vendorTable.ts`. */
  gvlId?: number
  /** The vendor's id in Google's additional consent, if it is not in the Global Vendor List. */
  googleAtpId?: number
  docs: string
  dashboardUrl?: string
  /** `onboarding`: the vendor's page about first steps, and the help link of each variable without its own. */
  links?: { onboarding?: string; introduction?: string; faq?: string }
  isSingleton?: true
  hasActivation?: true
  isApp?: true
  appPlatforms?: readonly string[]
  hidePurchaseValueMode?: true
  host: HostKind
  secrets: S
  /** Sets of optional variables. Each is a way to authenticate; a script needs one complete set. */
  credentialSets?: readonly (readonly (keyof NoInfer<S> & string)[])[]
  /**
   * Our event name and the vendor's. A standard event that is not listed is not sent. A well-known event that is not
   * listed is a custom event. `event.eventName` is the listed name, even if the sender wrote a synonym.
   */
  events: Readonly<Partial<Record<ListedEvent, string>>>
  /** The variable that maps the customer's events to ids of the vendor. It overrides `events` and `customEventName`. */
  eventMapping?: keyof S & string
  /** The vendor's name for a custom event. If absent or undefined, the event is not sent. */
  customEventName?(eventName: string): string | undefined
  /**
   * The vendor's fields, each with the person's value that it holds and the form of that value. No other field may hold
   * raw values.
   */
  user: U
  /** The id that the vendor uses for the person: the first of these for which `user` has a rule. */
  personId: PersonId | 'none'
  /**
   * An event without any of these values is skipped: `identityMissing`. The fields of an inner list count only
   * together. As in `captures`, `*` in a captured name matches any text.
   */
  requires?: readonly (IdentityField<U> | readonly IdentityField<U>[])[]
  /**
   * If `isOptedOut`, its requests ask the vendor for limited data use or for the vendor's opt-out. A tag may then also
   * send the events of people who opted out only of sale.
   */
  limitedUse?: true
  /** Also receives updates of a person's known values (`kind: 'user'`). */
  acceptsUserEvents?: true
  /** The query parameters and cookies that the page captures for it. A cookie name that ends in `*` is a prefix. */
  captures?: readonly { query?: string; cookie?: string }[]
  /** `captured` omits values that are older than this at the time of the event. Default: no limit. */
  clickWindowMs?: number
  /** The variable that holds the name of one more query parameter to capture. */
  clickParam?: keyof S & string
  /** It has a module for the browser: `src/browser/window/modules/<providerId>.ts`. */
  hasBrowserModule?: true
  /**
   * The values by which the vendor finds the person, the strongest first. Absent if the vendor matches nobody, or is
   * the customer's own system.
   */
  matchKeys?: MatchKeys<IdentityField<NoInfer<U>>>
  /** The vendor's own rating of how well it finds people, if it has an API for it. */
  rating?: Rating<SecretsOf<NoInfer<S>>>
  /** Older events are skipped: `tooOld`. */
  maxAgeMs?: number
  /** The vendor's field for the eventId, or the reason why there is none. For the documentation. */
  dedup: string
  /** The reason why refunds are not sent, if the vendor takes refunds in another way. For the documentation. */
  refunds?: string
  tokenRequest?: TokenRequest<NoInfer<S>>
  /**
   * The requests for one event, in the order in which they are sent. Pure. `name`: the vendor's name of the event. A
   * retry sends all requests of a list again, so the vendor must remove duplicates; `RequestSteps` continue at the
   * failed step.
   */
  request(
    context: RequestContext<U>,
    secrets: SecretsOf<S>,
    name: string,
  ): RequestSpec | readonly RequestSpec[] | RequestSteps | Skip
  /**
   * Lines that are stored with the delivery instead of a request; `request` then returns an empty list. `issuesOf`
   * describes how an event differs from its standard shape.
   */
  journalLines?(event: TagEvent, issuesOf: (event: TagEvent) => readonly string[]): readonly string[]
  batch?: BatchSpec
  /** The request runs the customer's code and is not sent. Its URL is `codeUrl`. */
  code?: CustomerCode & { source: keyof NoInfer<S>; values: keyof NoInfer<S> }
  /**
   * The same request for the vendor's test mode. Undefined if these secrets have none. Absent if the vendor has none.
   */
  toTestMode?(request: RequestSpec, secrets: SecretsOf<S>): RequestSpec | undefined
  responseRules?: readonly ResponseRule[]
  /**
   * The path of the readable message in an error's body: `error.error_user_msg`. Default: the paths that most vendors
   * use.
   */
  errorMessage?: string
}

const withSecretDefaults = (secrets: SecretSpecs, onboarding: string | undefined): SecretSpecs =>
  Object.fromEntries(
    Object.entries(secrets).map(([variable, spec]) => [
      variable,
      {
        ...(onboarding && { helpLink: onboarding }),
        ...spec,
        ...(spec.isHostLabel && { check: hostLabelCheck }),
        ...(spec.default && !spec.placeholder && { placeholder: spec.default }),
      },
    ]),
  )

/** Declares a provider. `request` gets the types of its own secrets and user fields. */
export const provider = <const S extends SecretSpecs, const U extends UserRules>(form: Provider<S, U>): Provider =>
  ({ ...form, secrets: withSecretDefaults(form.secrets, form.links?.onboarding) }) as unknown as Provider
