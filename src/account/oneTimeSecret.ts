import { randomBytes } from 'node:crypto'
import type { Keyring } from './keyring.ts'

/** The purpose of a secret. It is part of the hash, so that a secret is valid for one purpose only. */
type SecretPurpose = 'session' | 'sign-in link' | 'invitation' | 'e-mail link' | 'client' | 'version of a person'

/** 256 random bits in base64url, for URLs and cookies. */
export const generateSecret = () => randomBytes(32).toString('base64url')

/** The hash that is stored instead of the secret. */
export const hashSecret = (keys: Pick<Keyring, 'hashToken'>, opens: SecretPurpose, secret: string): Buffer =>
  keys.hashToken(`${opens}\0${secret}`)
