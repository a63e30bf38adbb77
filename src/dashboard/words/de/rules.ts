import type * as english from '../en/rules.ts'
import type { Translated } from '../translated.ts'

const asked: Record<string, (operand: string) => string> = {
  $eq: (operand) => `${operand} ist`,
  $neq: (operand) => `nicht ${operand} ist`,
  $gt: (operand) => `größer als ${operand} ist`,
  $gte: (operand) => `mindestens ${operand} ist`,
  $lt: (operand) => `kleiner als ${operand} ist`,
  $lte: (operand) => `höchstens ${operand} ist`,
  $in: (operand) => `einer dieser Werte ist: ${operand}`,
  $nin: (operand) => `keiner dieser Werte ist: ${operand}`,
  $startsWith: (operand) => `mit ${operand} beginnt`,
  $endsWith: (operand) => `mit ${operand} endet`,
  $contains: (operand) => `${operand} enthält`,
  $regex: (operand) => `zu ${operand} passt`,
  $exist: (operand) => (operand === 'false' ? 'fehlt' : 'vorhanden ist'),
}

/** The sentences that name the channel rule that skipped an event. */
export const ruleWords: Translated<typeof english.ruleWords> = {
  asks: (field, operator, operand) => `${field} ${asked[operator]?.(operand) ?? operand}`,
  notSent: (condition) => `Nicht gesendet: Eine Regel des Kanals verlangt, dass ${condition}.`,
  renamedToNothing: (name) => `Nicht gesendet: Nach einer Regel des Kanals wird ${name} nie zugestellt.`,
  notSampled: (percent) =>
    `Nicht gesendet: Der Kanal erhält die Ereignisse von ${percent} % der Besucher, und dieser Besucher gehört nicht dazu.`,
  exceeds: (rule) =>
    `Regel ${rule} des Kanals macht das Ereignis größer, als ein Ereignis sein darf. Es wird nicht gesendet.`,
  afterRules: 'Das Ereignis, wie die Regeln es ändern',
}
