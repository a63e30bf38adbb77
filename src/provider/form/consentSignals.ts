/** `unknown`: no consent map says anything about it. */
export type ConsentSignal = 'granted' | 'denied' | 'unknown'

/**
 * The strings of the visitor's banner as they came, for vendors that read them: a TC string, and a GPP string with the ids of
 * the sections that apply. Only those that can be read and that decided.
 */
export type ConsentStrings = {
  readonly tcf?: string
  readonly gdprApplies?: boolean
  readonly gpp?: string
  readonly gppSections?: readonly number[]
}

/** What the person agreed to, for vendors with consent fields in their requests. */
export type ConsentSignals = {
  readonly advertising: ConsentSignal
  readonly analytics: ConsentSignal
  readonly functional: ConsentSignal
  /** Whether values that identify the person may be sent. Where it is denied, `user` and `captured` are empty. */
  readonly sharePii: ConsentSignal
  /** Google's `ad_user_data`: whether data of the person may be sent for advertising. */
  readonly adUserData: ConsentSignal
  /** Google's `ad_personalization`: whether ads may be chosen for the person. */
  readonly adPersonalization: ConsentSignal
  readonly strings?: ConsentStrings
}

/** The signals where consent is not known, or not required by the tag. */
export const unknownConsent: ConsentSignals = Object.freeze({
  advertising: 'unknown',
  analytics: 'unknown',
  functional: 'unknown',
  sharePii: 'unknown',
  adUserData: 'unknown',
  adPersonalization: 'unknown',
})

/**
 * Whether the person refused advertising, or ads that are chosen for them: the value of a vendor's opt-out field and of its
 * limited data use. Unknown consent is no refusal.
 */
export const isOptedOut = ({ advertising, adPersonalization }: ConsentSignals): boolean =>
  advertising === 'denied' || adPersonalization === 'denied'

/** The vendor's word for a signal. Undefined where the signal is unknown: the vendor's field is then omitted. */
export const consentWord = <W>(
  signal: ConsentSignal,
  words: Readonly<Record<'granted' | 'denied', W>>,
): W | undefined => (signal === 'unknown' ? undefined : words[signal])
