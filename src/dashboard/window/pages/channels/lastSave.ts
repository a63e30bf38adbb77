import { signal } from '@preact/signals'
import type { WrittenScript } from '#contract/script.ts'

/** The answer to the last save of a channel by this page. */
export const lastSave = signal<Pick<WrittenScript, 'scriptId' | 'affected' | 'warnings'> | undefined>(undefined)
