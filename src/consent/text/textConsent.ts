import type { TextWarning } from '#contract/consentCheck.ts'
import type { GppConsent } from './gppString.ts'
import type { TcConsent } from './tcString.ts'

/** Why a text is not obeyed as it stands. The journal and the answer to an event show these words. */
export const textWarnings: Readonly<Record<TextWarning, string>> = {
  TCF_UNREADABLE: 'the TC string cannot be read: it counts as refused for all but the necessary',
  TCF_OUT_OF_TIME: 'the TC string is too old, or of a day to come: it counts as none',
  TCF_WITHOUT_DISCLOSED_VENDORS: 'the TC string has no disclosed vendors, which TCF 2.3 needs: it refuses each vendor',
  TCF_LIST_NEWER: 'the TC string is of a newer Global Vendor List than this server has',
  GPP_UNREADABLE: 'the GPP string cannot be read: it counts as refused for all but the necessary',
}

/**
 * A TC string, of the vendors of our providers, or the section of Canada of a GPP string. `consented`: the additional consent
 * of Google.
 */
export type ReadTcf = TcConsent & {
  readonly consented: readonly number[]
  readonly warnings?: readonly TextWarning[]
  readonly law?: 'canada'
}

/** A GPP string, with the strings of the EU and of Canada in it. */
export type ReadGpp = Omit<GppConsent, 'tcf' | 'canada'> & {
  readonly tcf?: ReadTcf | 'unreadable'
  readonly canada?: ReadTcf | 'unreadable'
}

/** What the consent texts of an event say. A text that cannot be read refuses all but the necessary. */
export type TextConsent = { readonly tcf?: ReadTcf | 'unreadable'; readonly gpp?: ReadGpp | 'unreadable' }

/** The texts that a header or a cookie of a call brings. */
export type CallTexts = { tcf?: string; gpp?: string; gppSections?: number[] }
