export interface Instruction {
  /** Where the lines belong, such as "In /etc/belfry/belfry.env:". */
  where: string
  lines: string[]
  /** What to do after that. null: nothing. */
  next: string | null
}
