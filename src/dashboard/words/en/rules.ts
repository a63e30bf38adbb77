import { ruleBuilderWords } from './ruleBuilder.ts'

const operators: Record<string, string> = ruleBuilderWords.operators

/** The sentences that name the channel rule that skipped an event. */
export const ruleWords = {
  asks: (field: string, operator: string, operand: string) => {
    if (operator === '$exist') return `${field} is ${operand === 'false' ? 'absent' : 'present'}`
    return `${field} ${operator in operators ? `${operators[operator]} ` : ''}${operand}`
  },
  notSent: (condition: string) => `Not sent: a rule of the channel requires that ${condition}.`,
  renamedToNothing: (name: string) => `Not sent: a rule of the channel says that ${name} is never delivered.`,
  notSampled: (percent: number) =>
    `Not sent: the channel gets the events of ${percent} % of visitors, and this visitor is not one of them.`,
  exceeds: (rule: number) => `Rule ${rule} of the channel makes the event too large. It is not sent.`,
  afterRules: 'The event as the rules change it',
}
