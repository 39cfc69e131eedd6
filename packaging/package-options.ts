export interface PackageOptions {
  /** The folder for the results. It is created if it doesn't exist. */
  output: string
  /** A folder that `stageNewProgram` has created. By default, each package creates its own. */
  program?: string
}
