import type { TextWarning } from '#contract/consentCheck.ts'
import type { GppConsent } from './gppString.ts'
import type { TcConsent } from './tcString.ts'

/** Why a text is not applied as sent. Shown in the journal and in the answer to an event. */
export const textWarnings: Readonly<Record<TextWarning, string>> = {
  TCF_UNREADABLE: 'the TC string cannot be read: everything except necessary is refused',
  TCF_OUT_OF_TIME: 'the TC string is too old or has a date in the future: it is ignored',
  TCF_WITHOUT_DISCLOSED_VENDORS:
    'the TC string has no disclosed vendors, which TCF 2.3 requires: every vendor is refused',
  TCF_LIST_NEWER: 'the TC string uses a newer Global Vendor List than this server has',
  GPP_UNREADABLE: 'the GPP string cannot be read: everything except necessary is refused',
}

/**
 * A TC string for the vendors of our providers, or the Canadian section of a GPP string. `consented`: ids with Google's
 * additional consent.
 */
export type ReadTcf = TcConsent & {
  readonly consented: readonly number[]
  readonly warnings?: readonly TextWarning[]
  readonly law?: 'canada'
}

/** A GPP string with the EU and Canadian strings that it contains. */
export type ReadGpp = Omit<GppConsent, 'tcf' | 'canada'> & {
  readonly tcf?: ReadTcf | 'unreadable'
  readonly canada?: ReadTcf | 'unreadable'
}

/** The consent texts of an event. An unreadable text refuses everything that is not necessary. */
export type TextConsent = { readonly tcf?: ReadTcf | 'unreadable'; readonly gpp?: ReadGpp | 'unreadable' }

/** The texts from a header or a cookie of a call. */
export type CallTexts = { tcf?: string; gpp?: string; gppSections?: number[] }
