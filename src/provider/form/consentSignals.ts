/** `unknown`: no consent map says anything about it. */
export type ConsentSignal = 'granted' | 'denied' | 'unknown'

/** What the person agreed to, for vendors with consent fields in their requests. */
export type ConsentSignals = {
  readonly advertising: ConsentSignal
  readonly analytics: ConsentSignal
  readonly functional: ConsentSignal
  /** Whether values that identify the person may be sent. Where it is denied, `user` and `captured` are empty. */
  readonly sharePii: ConsentSignal
}

/** The signals where consent is not known, or not required by the tag. */
export const unknownConsent: ConsentSignals = Object.freeze({
  advertising: 'unknown',
  analytics: 'unknown',
  functional: 'unknown',
  sharePii: 'unknown',
})

/** Whether the person refused advertising: the value of a vendor's opt-out field. Unknown consent is no refusal. */
export const isOptedOut = ({ advertising }: ConsentSignals): boolean => advertising === 'denied'

/** The vendor's word for a signal. Undefined where the signal is unknown: the vendor's field is then omitted. */
export const consentWord = <W>(
  signal: ConsentSignal,
  words: Readonly<Record<'granted' | 'denied', W>>,
): W | undefined => (signal === 'unknown' ? undefined : words[signal])
