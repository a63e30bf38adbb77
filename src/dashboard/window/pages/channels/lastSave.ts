import { signal } from '@preact/signals'
import type { WrittenScript } from '#contract/script.ts'

/** What the last save of a channel by this page was answered. */
export const lastSave = signal<Pick<WrittenScript, 'scriptId' | 'affected' | 'warnings'> | undefined>(undefined)
