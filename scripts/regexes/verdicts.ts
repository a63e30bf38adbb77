import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { check, type Diagnostics } from 'recheck'
import type { Bound, Site } from './sites.ts'

/**
 * How the time of a match grows with the input in the worst case. `degree` of a polynomial; `attack` is an input that
 * shows it.
 */
export type Verdict = { growth: 'linear' | 'polynomial' | 'exponential' | 'unknown'; degree?: number; attack?: string }

/**
 * The checker counts the steps of a match, which are the same on every machine. Its time limits are off: on a busy machine
 * they would report linear expressions, or stop the checker early.
 */
const options = { attackTimeout: null, incubationTimeout: null, seedingTimeout: null, timeout: null }

/** Maximum steps of a match whose input a comment limits: a few tens of milliseconds. */
const mostSteps = 10_000_000

/**
 * The fuzzer may report a linear expression. Its reports are verified by the automaton, whose verdict is a proof if it
 * supports the syntax.
 */
export async function judge(text: string, flags: string): Promise<Verdict> {
  const first = await check(text, flags, options)
  if (first.status !== 'vulnerable' || first.checker === 'automaton') return verdictOf(first)
  const proof = await check(text, flags, { ...options, checker: 'automaton' })
  return verdictOf(proof.status === 'unknown' ? first : proof)
}

function verdictOf(diagnostics: Diagnostics): Verdict {
  if (diagnostics.status === 'safe') return { growth: 'linear' }
  if (diagnostics.status === 'unknown') return { growth: 'unknown' }
  const { complexity, attack } = diagnostics
  if (complexity.type === 'exponential') return { growth: 'exponential', attack: attack.pattern }
  return { growth: 'polynomial', degree: complexity.degree, attack: attack.pattern }
}

export type Judge = typeof judge

type Known = Record<string, Verdict>

/** Verdicts cached in a file: the same version of the checker judges nothing twice. */
export function rememberedIn(path: string, decide: Judge = judge): { judge: Judge; save(): void } {
  const { version } = createRequire(import.meta.url)('recheck/package.json') as { version: string }
  const known = readKnown(path)
  const used: Known = {}
  return {
    async judge(text, flags) {
      const name = `${version} /${text}/${flags}`
      const verdict = known[name] ?? (await decide(text, flags))
      if (verdict.growth !== 'unknown') used[name] = verdict
      return verdict
    },
    save() {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, JSON.stringify(used, undefined, 1))
    },
  }
}

function readKnown(path: string): Known {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Known
  } catch {
    return {}
  }
}

/** The worst verdict of an expression whose escaped parts were sampled. */
async function worstOf(site: Extract<Site, { texts: readonly string[] }>, decide: Judge): Promise<Verdict> {
  const verdicts: Verdict[] = []
  for (const text of site.texts) verdicts.push(await decide(text, site.flags))
  return verdicts.find(({ growth }) => growth !== 'linear') ?? { growth: 'linear' }
}

/** Reports what is wrong with each expression; a limit applies to the line on which it ends and to the next. */
export async function faultsOf(sites: readonly Site[], bounds: readonly Bound[], decide: Judge): Promise<string[]> {
  const faults: string[] = []
  const unused = new Set(bounds)
  for (const site of sites) {
    const bound = bounds.find(({ line }) => line === site.line || line === site.line - 1)
    if ('unknown' in site) {
      faults.push(`${site.line}: made of ${site.unknown}, which is not known here: put it through RegExp.escape`)
      continue
    }
    const verdict = await worstOf(site, decide)
    if (verdict.growth === 'linear') continue
    if (bound) unused.delete(bound)
    const fault = faultOf(verdict, bound)
    if (fault) faults.push(`${site.line}: /${site.texts[0]}/${site.flags} ${fault}`)
  }
  for (const { line } of unused) faults.push(`${line}: the comment bounds nothing: every expression there is linear`)
  return faults
}

function faultOf({ growth, degree = 2, attack }: Verdict, bound: Bound | undefined): string | undefined {
  if (growth === 'unknown') return 'could not be judged: write it more simply'
  const shown = attack ? ` (${attack})` : ''
  if (growth === 'exponential') return `takes exponential time${shown}`
  if (!bound) return `takes time to the power of ${degree}${shown}`
  const steps = bound.characters ** degree
  return steps > mostSteps
    ? `takes ${steps.toExponential(0)} steps for ${bound.characters} characters, more than ${mostSteps}`
    : undefined
}
