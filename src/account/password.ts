import { randomBytes, type ScryptOptions, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { badRequest, fault } from '#contract/fault.ts'
import type { EnvironmentName } from '#contract/me.ts'
import { equalBytes } from '#kit/cipher.ts'
import { type FairQueueLimits, fairQueue, QueueFull } from '#kit/fairQueue.ts'

/** The parameters of scrypt (RFC 7914). It uses 128 · N · r bytes of memory; its `p` lanes run one after the other. */
export type HashCost = { N: number; r: number; p: number }

/** OWASP's second choice for scrypt: 64 MiB and about 0.2 s. */
const defaultCost: HashCost = { N: 2 ** 16, r: 8, p: 2 }
const minLength = 10
const maxLength = 200

/**
 * Node computes scrypt on libuv's pool of four threads. At most two are used, with 128 MiB, so that file and DNS
 * operations are not delayed. A queue of 64 hashes takes about ten seconds.
 */
const defaultQueueLimits: FairQueueLimits = { parallel: 2, maxPerLane: 64, maxPerKey: 32 }
const retryAfterS = 5

/** The purpose of a hash. Each environment and purpose has a separate lane, so that none waits for another's queue. */
export type HashRequest = {
  environment: EnvironmentName
  purpose: 'sign-in' | 'sign-up' | 'change'
  /** The caller: a person's id, or the IP address of a caller without a session. */
  key: string
}

/** Hashes passwords in a fair queue. Both methods reject with overloaded if the queue is full. */
export type PasswordHasher = {
  /** Resolves with `scrypt$N$r$p$salt$hash`, the stored form. Throws badRequest. */
  hash(password: string, request: HashRequest): Promise<string>
  /** Whether a password matches the stored one. Takes the same time if none is stored. */
  fits(password: string, stored: string | undefined, request: HashRequest): Promise<boolean>
}

const scryptAsync = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt)

const deriveHash = (password: string, salt: Uint8Array, { N, r, p }: HashCost) =>
  scryptAsync(password.normalize('NFKC'), salt, 32, { N, r, p, maxmem: 256 * N * r })

/** Throws badRequest for a password that is too short or too long. */
export function refuseInvalidPassword(password: string): void {
  const length = password.length > 4 * maxLength ? Number.POSITIVE_INFINITY : [...password].length
  if (length < minLength || length > maxLength)
    throw badRequest({ path: 'password', message: `must have ${minLength} to ${maxLength} characters` })
}

/** There is one per process, because both environments share its CPU and memory. */
export function createPasswordHasher({ limits = defaultQueueLimits, cost = defaultCost } = {}): PasswordHasher {
  const queue = fairQueue(limits)
  /** Compared if no password is stored, so that the duration does not reveal whether a person exists. */
  const dummyHash = `scrypt$${cost.N}$${cost.r}$${cost.p}$AAAAAAAAAAAAAAAAAAAAAA$`
  const inQueue = async <Result>({ environment, purpose, key }: HashRequest, job: () => Promise<Result>) => {
    try {
      return await queue.run({ lane: `${environment} ${purpose}`, key }, job)
    } catch (error) {
      throw error instanceof QueueFull ? fault('overloaded', { headers: { 'retry-after': `${retryAfterS}` } }) : error
    }
  }
  return {
    async hash(password, request) {
      refuseInvalidPassword(password)
      const salt = randomBytes(16)
      const hash = await inQueue(request, () => deriveHash(password, salt, cost))
      return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
    },
    async fits(password, stored = dummyHash, request) {
      if (password.length > 4 * maxLength) return false
      const [, N, r, p, salt = '', hash = ''] = stored.split('$')
      const hashCost = { N: Number(N), r: Number(r), p: Number(p) }
      const derived = await inQueue(request, () => deriveHash(password, Buffer.from(salt, 'base64url'), hashCost))
      return equalBytes(derived, Buffer.from(hash, 'base64url'))
    },
  }
}
