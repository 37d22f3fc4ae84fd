/**
 * Formats a whole number with commas between its thousands, as in Mexico. Intl.NumberFormat is not used, since browsers' formats
 * differ, and creating a formatter takes a cheap phone fifty milliseconds.
 */
export const formatThousands = (number: number): string => String(number).replace(/\B(?=(\d{3})+$)/g, ',')
