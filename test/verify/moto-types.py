"""Prints the types of resources that moto's CloudFormation makes, as JSON."""

import json

from moto.cloudformation.parsing import get_model_map

print(json.dumps(sorted(get_model_map())))
