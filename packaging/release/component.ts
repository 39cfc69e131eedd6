/** `bundled`: part of Belfry's own files. `installed`: a separate package, which npm installs beside Belfry. */
export type Delivery = 'bundled' | 'installed'

export interface Component {
  name: string
  version: string | undefined
  /** An SPDX expression. */
  license: string
  delivery: Delivery
  /** Whether the component is needed only on some systems. */
  isOptional: boolean
  /** A package URL. undefined if there is no type of package URL that fits. */
  purl: string | undefined
  /** The website of a component that is not an npm package. */
  source?: string
  /** The hash of the package in the format of package-lock.json. */
  integrity?: string
  /** The folder of the npm package, relative to the root of the repository. */
  folder?: string
  /** A file with the license text, relative to the root of the repository, if it is not in `folder`. */
  licenseFile?: string
  /** The components inside a package with binaries. */
  contains?: readonly Component[]
}
