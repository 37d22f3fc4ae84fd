export const joinClasses = (...classNames: (string | false | undefined)[]) => classNames.filter(Boolean).join(' ')
