/** `unknown`: no consent map covers this signal. */
export type ConsentSignal = 'granted' | 'denied' | 'unknown'

/**
 * The unchanged strings of the visitor's banner, for vendors that read them: a TC string, and a GPP string with the ids
 * of the sections that apply. Contains only strings that could be read and that decided the consent.
 */
export type ConsentStrings = {
  readonly tcf?: string
  readonly gdprApplies?: boolean
  readonly gpp?: string
  readonly gppSections?: readonly number[]
}

/** A person's consent, for vendors with consent fields in their requests. */
export type ConsentSignals = {
  readonly advertising: ConsentSignal
  readonly analytics: ConsentSignal
  readonly functional: ConsentSignal
  /** Whether values that identify the person may be sent. If denied, `user` and `captured` are empty. */
  readonly sharePii: ConsentSignal
  /** Google's `ad_user_data`: whether the person's data may be sent for advertising. */
  readonly adUserData: ConsentSignal
  /** Google's `ad_personalization`: whether ads may be personalised. */
  readonly adPersonalization: ConsentSignal
  readonly strings?: ConsentStrings
}

/** All signals unknown: the consent is not known, or the tag does not require consent. */
export const unknownConsent: ConsentSignals = Object.freeze({
  advertising: 'unknown',
  analytics: 'unknown',
  functional: 'unknown',
  sharePii: 'unknown',
  adUserData: 'unknown',
  adPersonalization: 'unknown',
})

/**
 * Whether the person refused advertising or personalised ads: the value for a vendor's opt-out field and for limited
 * data use. Unknown consent is not a refusal.
 */
export const isOptedOut = ({ advertising, adPersonalization }: ConsentSignals): boolean =>
  advertising === 'denied' || adPersonalization === 'denied'

/** The vendor's word for a signal. Undefined if the signal is unknown: the vendor's field is then omitted. */
export const consentWord = <W>(
  signal: ConsentSignal,
  words: Readonly<Record<'granted' | 'denied', W>>,
): W | undefined => (signal === 'unknown' ? undefined : words[signal])
