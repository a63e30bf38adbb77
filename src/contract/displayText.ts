/**
 * Characters that are invisible or blank, move the cursor, end lines, hide text or change the direction of neighbouring
 * text.
 */
const invisible =
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u200e\\u200f\\u2028-\\u202e' +
  '\\u2060-\\u206f\\u2800\\u3164\\ufeff\\uffa0\\ufff0-\\uffff'

/** The pattern of names that people enter: at least one visible character, and none of the invisible ones. */
export const namePattern = `^(?!\\s*$)[^${invisible}]*$`

const name = new RegExp(namePattern)
export const isName = (text: string): boolean => name.test(text)
export const nameIssue = 'must have a visible character, and no control characters or signs of direction'

/** Also characters above U+E0000, which some schema patterns cannot contain. */
const invisibleSigns = new RegExp(`[${invisible}]|[\\udb40-\\udb7f][\\udc00-\\udfff]`, 'g')

/** Makes untrusted text safe for a terminal: of the invisible characters, it keeps only tabs and line feeds. */
export const terminalText = (text: string): string =>
  text.replace(invisibleSigns, (sign) => (sign === '\t' || sign === '\n' ? sign : ''))

/** Letters of scripts that are written from right to left. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]|[\ud802\ud803\ud83a\ud83b]/

/** Prevents a text from changing the direction of neighbouring text. */
export const isolateDirection = (text: string): string => (rightToLeft.test(text) ? `\u2068${text}\u2069` : text)
