/** The result of one check of `doctor`. Each text begins with what it is about, such as "Email:". */
import { formatCommand } from '../../lib/program.ts'
import { StartupError } from '../../lib/startup-error.ts'
import { toVisibleLine } from '../../lib/text.ts'

const marks = { ok: '✓', warning: '!', failure: '✗' } as const

export interface DoctorDiagnosis {
  kind: keyof typeof marks
  text: string
}

export const ok = (text: string): DoctorDiagnosis => ({ kind: 'ok', text })

/** The checked part works, but could be better. */
export const warning = (text: string, remedy: string): DoctorDiagnosis => ({
  kind: 'warning',
  text: `${text} ${remedy}`,
})

/** The checked part doesn't work until the remedy is applied. */
export const failure = (text: string, remedy: string): DoctorDiagnosis => ({
  kind: 'failure',
  text: `${text} ${remedy}`,
})

const MAX_TEXT_LENGTH = 4000

/**
 * Makes control characters visible. The text can quote settings, files and the output of other programs, which must not
 * send control characters to root's terminal.
 */
export function formatDiagnosis({ kind, text }: DoctorDiagnosis): string {
  return `${marks[kind]} ${toVisibleLine(text, MAX_TEXT_LENGTH)}`
}

/** Turns an unexpected error of a check into a diagnosis, so that the other checks still run. */
export function diagnoseError(error: unknown, subject: string): DoctorDiagnosis {
  if (error instanceof StartupError) return failure(`${subject}: ${error.message}`, error.hint)
  return failure(
    `${subject}: could not be checked. ${(error as Error).message}.`,
    `Fix that and run \`${formatCommand('doctor')}\` again.`,
  )
}
