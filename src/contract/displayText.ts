/** Signs without a form of their own: they move the cursor, end lines, hide, or turn the direction of what stands beside them. */
const invisible = '\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff'

/** The pattern of a name that people give: one visible sign at least, and no invisible one. */
export const namePattern = `^(?!\\s*$)[^${invisible}]*$`

const name = new RegExp(namePattern)
export const isName = (text: string): boolean => name.test(text)
export const nameIssue = 'must have a visible character, and no control characters or signs of direction'

const invisibleSigns = new RegExp(`[${invisible}]`, 'g')

/** A text of others as a terminal shows it: it keeps tabs and ends of lines alone. */
export const terminalText = (text: string): string =>
  text.replace(invisibleSigns, (sign) => (sign === '\t' || sign === '\n' ? sign : ''))

/** Letters that are written from right to left. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]|[\ud802\ud803\ud83a\ud83b]/

/** Keeps the direction of a text from the texts beside it. */
export const isolateDirection = (text: string): string => (rightToLeft.test(text) ? `\u2068${text}\u2069` : text)
