import { randomBytes, type ScryptOptions, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { badRequest, fault } from '#contract/fault.ts'
import type { EnvironmentName } from '#contract/me.ts'
import { sameBytes } from '#kit/cipher.ts'
import { type FairQueueLimits, fairQueue, QueueFull } from '#kit/fairQueue.ts'

/** The parameters of scrypt (RFC 7914): memory in bytes is 128 · N · r; of `p` lanes one runs after the other. */
export type HashCost = { N: number; r: number; p: number }

/** OWASP's second choice for scrypt: 64 MiB and about 0.2 s. */
const usualCost: HashCost = { N: 2 ** 16, r: 8, p: 2 }
const shortest = 10
const longest = 200

/**
 * Node computes scrypt on the thread pool of libuv, which has four threads: two of them at most, and 128 MiB, so that files
 * and name look-ups are not held up. What waits beyond 64 hashes of a lane would wait for about ten seconds.
 */
const usualLimits: FairQueueLimits = { parallel: 2, mostPerLane: 64, mostPerKey: 32 }
const retryAfterS = 5

/** What a hash is for. Each purpose of each environment has a lane of its own: none makes another wait for its whole queue. */
export type HashFor = {
  environment: EnvironmentName
  purpose: 'sign-in' | 'sign-up' | 'change'
  /** Who asks: an address without a session, else a person. */
  key: string
}

/** Hashes passwords, each in its turn. Both reject with overloaded where too many wait. */
export type Passwords = {
  /** A password as it is kept: `scrypt$N$r$p$salt$hash`. Throws badRequest. */
  hash(password: string, asked: HashFor): Promise<string>
  /** Whether a password is the one that is kept. Where none is kept it is not, and takes as long. */
  fits(password: string, kept: string | undefined, asked: HashFor): Promise<boolean>
}

const run = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt)

const hashOf = (password: string, salt: Uint8Array, { N, r, p }: HashCost) =>
  run(password.normalize('NFKC'), salt, 32, { N, r, p, maxmem: 256 * N * r })

/** Throws badRequest for what is too short or too long to be a password. */
export function refuseBadPassword(password: string): void {
  const length = password.length > 4 * longest ? Number.POSITIVE_INFINITY : [...password].length
  if (length < shortest || length > longest)
    throw badRequest({ path: 'password', message: `must have ${shortest} to ${longest} characters` })
}

/** One for a process: both environments share its processors and its memory. */
export function openPasswords({ limits = usualLimits, cost = usualCost } = {}): Passwords {
  const queue = fairQueue(limits)
  /** Nobody's: who is not known, or has no password, costs as much time as who is. */
  const nobody = `scrypt$${cost.N}$${cost.r}$${cost.p}$AAAAAAAAAAAAAAAAAAAAAA$`
  const inTurn = async <Result>({ environment, purpose, key }: HashFor, job: () => Promise<Result>) => {
    try {
      return await queue.run({ lane: `${environment} ${purpose}`, key }, job)
    } catch (error) {
      throw error instanceof QueueFull ? fault('overloaded', { headers: { 'retry-after': `${retryAfterS}` } }) : error
    }
  }
  return {
    async hash(password, asked) {
      refuseBadPassword(password)
      const salt = randomBytes(16)
      const hash = await inTurn(asked, () => hashOf(password, salt, cost))
      return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
    },
    async fits(password, kept = nobody, asked) {
      if (password.length > 4 * longest) return false
      const [, N, r, p, salt = '', hash = ''] = kept.split('$')
      const size = { N: Number(N), r: Number(r), p: Number(p) }
      const found = await inTurn(asked, () => hashOf(password, Buffer.from(salt, 'base64url'), size))
      return sameBytes(found, Buffer.from(hash, 'base64url'))
    },
  }
}
