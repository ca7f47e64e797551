/** The value of `AWS::NoValue`: the property that holds it does not exist. */
export const NO_VALUE: unique symbol = Symbol("AWS::NoValue");
