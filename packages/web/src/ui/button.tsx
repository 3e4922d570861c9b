import type { ComponentProps, ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

type ButtonProps = ComponentProps<'button'> & { look?: string; icon?: IconName; children?: ReactNode }

export function Button({ look = '', icon, children, ...props }: ButtonProps) {
  return (
    <button type="button" {...props} className={`btn ${look}`}>
      {icon && <Icon name={icon} size="s" />}
      {children}
    </button>
  )
}

/** A button that shows only an icon; the label is its name and its tooltip. */
export function IconButton({
  label,
  icon,
  look = '',
  ...props
}: ComponentProps<'button'> & { label: string; icon: IconName; look?: string }) {
  return (
    <button type="button" aria-label={label} title={label} {...props} className={`btn square ${look}`}>
      <Icon name={icon} />
    </button>
  )
}
