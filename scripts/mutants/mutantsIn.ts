import { parseSync, Visitor } from 'oxc-parser'

/** One small change of a file: the characters from `start` to `end` become `text`. */
export type Mutant = { start: number; end: number; text: string; was: string }

type Span = { start: number; end: number }

/** The replacement for an operator: the nearest one that differs at an edge case, or its opposite. */
const otherOperator: Record<string, string> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
  '??': '&&',
}

/** Every mutant of a TypeScript file. Types, imports and visible texts are not mutated. */
export function mutantsIn(path: string, code: string): Mutant[] {
  const mutants: Mutant[] = []
  const change = ({ start, end }: Span, text: string) =>
    void mutants.push({ start, end, text, was: code.slice(start, end) })
  const operator = ({ left, right, operator }: { left: Span; right: Span; operator: string }) => {
    const other = otherOperator[operator]
    const at = code.indexOf(operator, left.end)
    if (other && at !== -1 && at < right.start) change({ start: at, end: at + operator.length }, other)
  }
  const decision = (test: Span) => {
    change(test, 'true')
    change(test, 'false')
  }
  let isInType = false
  new Visitor({
    TSLiteralType() {
      isInType = true
    },
    'TSLiteralType:exit'() {
      isInType = false
    },
    BinaryExpression: operator,
    LogicalExpression: operator,
    IfStatement: ({ test }) => decision(test),
    ConditionalExpression: ({ test }) => decision(test),
    UnaryExpression: (node) =>
      node.operator === '!' && change(node, code.slice(node.argument.start, node.argument.end)),
    ReturnStatement: ({ argument }) => argument && change(argument, 'undefined'),
    ArrowFunctionExpression: ({ body, expression }) => expression && change(body, 'undefined'),
    ExpressionStatement: (node) => code[node.start] !== "'" && change(node, ';'),
    Literal: (node) => {
      if (isInType) return
      if (typeof node.value === 'boolean') change(node, `${!node.value}`)
      else if (typeof node.value === 'number') change(node, `${node.value + 1}`)
    },
  }).visit(parseSync(path, code).program)
  return mutants.filter(({ text, was }) => text !== was)
}
