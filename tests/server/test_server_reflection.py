"""A client without our stubs asks the server for them, builds a request and plans."""

import grpc
import pytest
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message_factory import GetMessageClass
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

JOB = {
    "model": {"name": "Qwen/Qwen3-8B"},
    "hardware": {"gpu": "a100-80gb", "gpus": 4},
    "workload": {"max_model_len": 20480},
}


def test_plan_by_reflection(channel):
    database = ProtoReflectionDescriptorDatabase(channel)
    assert sorted(database.get_services()) == [
        "grpc.health.v1.Health",
        "grpc.reflection.v1alpha.ServerReflection",
        "rungwise.v1.CatalogService",
        "rungwise.v1.PlannerService",
    ]
    method = DescriptorPool(database).FindServiceByName("rungwise.v1.PlannerService").methods_by_name["Plan"]
    assert (method.client_streaming, method.server_streaming) == (False, False)
    call = channel.unary_unary(
        f"/{method.containing_service.full_name}/{method.name}",
        request_serializer=lambda message: message.SerializeToString(),
        response_deserializer=GetMessageClass(method.output_type).FromString,
    )
    answer = call(ParseDict(JOB, GetMessageClass(method.input_type)()), timeout=10)
    plan = MessageToDict(answer, preserving_proto_field_name=True)
    assert plan["outcome"] == "OUTCOME_FEASIBLE"
    assert plan["configuration"]["label"] == "SP=2"
    assert plan["trace"]


def test_reflection_can_be_left_out(start):
    _, channel = start(reflection=False)
    with pytest.raises(grpc.RpcError) as caught:
        list(ProtoReflectionDescriptorDatabase(channel).get_services())
    assert caught.value.code().name == "UNIMPLEMENTED"
