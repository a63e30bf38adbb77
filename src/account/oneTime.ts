import { randomBytes } from 'node:crypto'
import type { Keyring } from './keyring.ts'

/** What a secret opens. One that was made for one thing opens no other. */
type Opens = 'session' | 'sign-in link' | 'invitation' | 'e-mail link' | 'client'

/** 256 random bits, fit for an address and a cookie. */
export const mintSecret = () => randomBytes(32).toString('base64url')

/** How it is kept. */
export const secretHash = (keys: Pick<Keyring, 'tokenHash'>, opens: Opens, secret: string): Buffer =>
  keys.tokenHash(`${opens}\0${secret}`)
