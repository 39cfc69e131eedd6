export interface PackageOptions {
  /** The folder for the results. It is created if it doesn't exist. */
  output: string
}
