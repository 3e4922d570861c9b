import 'react'

declare module 'react' {
  /** Styles may set variables, which style sheets read. */
  interface CSSProperties {
    [variable: `--${string}`]: string | number | undefined
  }
}
