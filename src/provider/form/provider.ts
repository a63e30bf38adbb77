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

/**
 * A value that identifies the person: a field of `user`, a captured value, or an id of a device or an app (`appIds`).
 */
type IdentityField<U extends UserRules> = (keyof U & string) | `captured.${string}` | `app.${string}`

/**
 * All facts of one provider except its examples, which are in `src/providers/examples/<providerId>.ts`. A member with a
 * default is written only where it differs.
 */
export type Provider<S extends SecretSpecs = SecretSpecs, U extends UserRules = UserRules> = {
  label: string
  stage: 'draft' | 'beta' | 'live'
  /** The default consent category of a script, then the others that it may be set to. */
  consent: readonly [ConsentCategory, ...ConsentCategory[]]
  /** The vendor's id in the Global Vendor List of IAB Europe. Its declaration is in `consent/text/vendorTable.ts`. */
  gvlId?: number
  /** The vendor's id in Google's additional consent, where it is not in the Global Vendor List. */
  googleAtpId?: number
  docs: string
  dashboardUrl?: string
  /** `onboarding`: the vendor's page for the first steps; the help link of each variable that has none of its own. */
  links?: { onboarding?: string; introduction?: string; faq?: string }
  isSingleton?: true
  hasActivation?: true
  isApp?: true
  appPlatforms?: readonly string[]
  hidePurchaseValueMode?: true
  host: HostKind
  secrets: S
  /** Sets of optional variables. A script needs one whole set: each is a way to authenticate. */
  credentialSets?: readonly (readonly (keyof NoInfer<S> & string)[])[]
  /**
   * Our event name: the vendor's. A standard event that is not listed is not sent; a well-known event that is not listed
   * is a custom event. `event.eventName` is the listed name, also where the sender wrote a synonym.
   */
  events: Readonly<Partial<Record<ListedEvent, string>>>
  /**
   * The variable in which the customer maps events to ids of the vendor. It overrides `events` and `customEventName`.
   */
  eventMapping?: keyof S & string
  /** The vendor's name for a custom event. Absent, or undefined: the event is not sent. */
  customEventName?(eventName: string): string | undefined
  /** The vendor's field: the value of the person that goes there, and its form. Raw values go into no other field. */
  user: U
  /** The id that stands for the person at the vendor: the first of these for which `user` has a rule. */
  personId: PersonId | 'none'
  /**
   * Without any of these the event is skipped: `identityMissing`. The fields of an inner list count only together. The
   * `*` of a captured name stands for any text, as in `captures`.
   */
  requires?: readonly (IdentityField<U> | readonly IdentityField<U>[])[]
  /**
   * Where `isOptedOut`, its requests ask the vendor for limited data use, or for the opt-out that stands for it. A tag may then
   * send it the events of people who opted out of sale alone.
   */
  limitedUse?: true
  /** It also gets updates of what is known of a person (`kind: 'user'`). */
  acceptsUserEvents?: true
  /**
   * The query parameters and cookies that are captured in the page for it. A cookie name that ends in `*` is a prefix.
   */
  captures?: readonly { query?: string; cookie?: string }[]
  /** Captured values that are older than this when the event happens are left out of `captured`. Default: none is. */
  clickWindowMs?: number
  /** The variable that holds the name of one more query parameter to capture. */
  clickParam?: keyof S & string
  /** It has a module for the browser: `src/browser/window/modules/<providerId>.ts`. */
  hasBrowserModule?: true
  /**
   * What the vendor finds the person by, the strongest first. Absent: the vendor matches nobody, or it is the customer's
   * own system.
   */
  matchKeys?: MatchKeys<IdentityField<NoInfer<U>>>
  /** The vendor's own rating of how well it finds people, where it has an interface for it. */
  rating?: Rating<SecretsOf<NoInfer<S>>>
  /** Older events are skipped: `tooOld`. */
  maxAgeMs?: number
  /** The vendor's field for the eventId, or why there is none. For the documentation. */
  dedup: string
  /** Why refunds are not sent, where the vendor takes them in another way. For the documentation. */
  refunds?: string
  tokenRequest?: TokenRequest<NoInfer<S>>
  /**
   * The requests for one event, in the order in which they are sent. Pure. `name`: the vendor's name of the event. A
   * retry sends all requests of a list again, so the vendor must remove duplicates; `RequestSteps` continue where they
   * failed.
   */
  request(
    context: RequestContext<U>,
    secrets: SecretsOf<S>,
    name: string,
  ): RequestSpec | readonly RequestSpec[] | RequestSteps | Skip
  /**
   * Lines that are stored with the delivery, in place of a request. `request` then returns an empty list. `issuesOf`:
   * where an event differs from its standard shape.
   */
  journalLines?(event: TagEvent, issuesOf: (event: TagEvent) => readonly string[]): readonly string[]
  batch?: BatchSpec
  /** The request runs the customer's code and is not sent. Its URL is `codeUrl`. */
  code?: CustomerCode & { source: keyof NoInfer<S>; values: keyof NoInfer<S> }
  /**
   * The same request for the vendor's test mode; undefined where these secrets have none. Absent: the vendor has none.
   */
  toTestMode?(request: RequestSpec, secrets: SecretsOf<S>): RequestSpec | undefined
  responseRules?: readonly ResponseRule[]
  /**
   * Where the body of an error has the sentence for a person: `error.error_user_msg`. Absent: at one of the places that
   * most vendors use.
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
