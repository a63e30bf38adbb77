import { list } from '../format.ts'

const asked: Record<string, (operand: string) => string> = {
  $eq: (operand) => `is ${operand}`,
  $neq: (operand) => `is not ${operand}`,
  $gt: (operand) => `is greater than ${operand}`,
  $gte: (operand) => `is at least ${operand}`,
  $lt: (operand) => `is less than ${operand}`,
  $lte: (operand) => `is at most ${operand}`,
  $in: (operand) => `is one of ${operand}`,
  $nin: (operand) => `is none of ${operand}`,
  $startsWith: (operand) => `starts with ${operand}`,
  $endsWith: (operand) => `ends with ${operand}`,
  $contains: (operand) => `contains ${operand}`,
  $regex: (operand) => `matches ${operand}`,
  $exist: (operand) => (operand === 'false' ? 'is absent' : 'is present'),
}

/** The sentences that name the channel rule that skipped an event. */
export const ruleWords = {
  asks: (field: string, operator: string, operand: string) => `${field} ${asked[operator]?.(operand) ?? operand}`,
  listed: (values: readonly string[]) => list(values),
  notSent: (condition: string) => `Not sent: a rule of the channel asks that ${condition}.`,
  renamedToNothing: (name: string) => `Not sent: a rule of the channel says that ${name} is never delivered.`,
  notSampled: (percent: number) =>
    `Not sent: the channel gets the events of ${percent} % of visitors, and this visitor is not one of them.`,
  exceeds: (rule: number) => `Rule ${rule} of the channel makes the event larger than an event may be. It is not sent.`,
  afterRules: 'The event as the rules change it',
}
