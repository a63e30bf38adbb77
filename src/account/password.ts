import { randomBytes, type ScryptOptions, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { badRequest } from '#contract/fault.ts'
import { sameBytes } from '#kit/cipher.ts'
import { turns } from '#kit/turns.ts'

/** OWASP's second choice for scrypt: 64 MiB and about 0.2 s. `p` lanes run one after the other. */
const cost = { N: 2 ** 16, r: 8, p: 2 } as const
const shortest = 10
const longest = 200

const run = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt)

/** One after the other: each takes 64 MiB, and whoever knocks without a password must not be able to fill the memory. */
const inTurn = turns()

const hashOf = (password: string, salt: Uint8Array, { N, r, p }: { N: number; r: number; p: number }) =>
  inTurn('hash', () => run(password.normalize('NFKC'), salt, 32, { N, r, p, maxmem: 256 * N * r }))

/** Throws badRequest for what is too short or too long to be a password. */
export function refuseBadPassword(password: string): void {
  const { length } = [...password]
  if (length < shortest || length > longest)
    throw badRequest({ path: 'password', message: `must have ${shortest} to ${longest} characters` })
}

/** A password as it is kept: `scrypt$N$r$p$salt$hash`. Throws badRequest. */
export async function hashPassword(password: string): Promise<string> {
  refuseBadPassword(password)
  const salt = randomBytes(16)
  const hash = await hashOf(password, salt, cost)
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/** Nobody's: who is not known, or has no password, costs as much time as who is. */
const nobody = `scrypt$${cost.N}$${cost.r}$${cost.p}$AAAAAAAAAAAAAAAAAAAAAA$`

export async function isPassword(password: string, kept: string = nobody): Promise<boolean> {
  const [, N, r, p, salt = '', hash = ''] = kept.split('$')
  if (password.length > 4 * longest) return false
  const found = await hashOf(password, Buffer.from(salt, 'base64url'), { N: Number(N), r: Number(r), p: Number(p) })
  return sameBytes(found, Buffer.from(hash, 'base64url'))
}
