/** Joins class names for one attribute, without those that do not apply. */
export const joinClasses = (...classNames: (string | false | undefined)[]) => classNames.filter(Boolean).join(' ')
